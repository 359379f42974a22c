// SPDX-License-Identifier: MIT
#include "lateness/lateness_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace detent::tool {
namespace {

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

TEST(LatenessLog, KeepsEveryPercentileWithinOnePercent) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> lateness(12, 4);
  lateness_log log;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(static_cast<std::int64_t>(std::min(lateness(random), 9e18)));
    log.record(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double p : {1.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(std::lround(p * 100)) - 1]);
    EXPECT_NEAR(static_cast<double>(log.percentile(p)), exact, exact / 100) << p;
  }
}

TEST(LatenessLog, HoldsTheWholeRange) {
  lateness_log log;
  log.record(longest);
  log.record(-5);
  EXPECT_EQ(log.max(), longest);
  EXPECT_EQ(log.percentile(50), 0);
  EXPECT_EQ(log.percentile(100), longest);
}

}  // namespace
}  // namespace detent::tool
