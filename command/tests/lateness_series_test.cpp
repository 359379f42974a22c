// SPDX-License-Identifier: MIT
#include "lateness/lateness_series.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace detent::tool {
namespace {

TEST(LatenessSeries, GrowsBeyondWhatWasExpectedAndLosesNothing) {
  lateness_series series(1000);
  for (int t = 0; t < 100'000; t += 10) series.record(t, t);
  std::uint64_t count = 0, end = 0;
  for (const auto& each : series.points()) {
    EXPECT_GE(each.t_ns, end);
    end = each.t_ns + series.step_ns();
    count += each.count;
    EXPECT_GE(each.max, static_cast<std::int64_t>(each.t_ns));
    EXPECT_LT(each.max, static_cast<std::int64_t>(end));
    EXPECT_LE(each.p50, each.p99);
    EXPECT_LE(each.p99, each.max);
  }
  EXPECT_EQ(count, 10'000U);
}

}  // namespace
}  // namespace detent::tool
