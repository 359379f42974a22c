// SPDX-License-Identifier: MIT
#include "lateness/lateness_series.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace detent::tool {
namespace {

TEST(LatenessSeries, KeepsEachStepApart) {
  lateness_series series(1'000'000);
  for (int t = 0; t < 1'000'000; t += 100) series.record(t, t < 500'000 ? 100 : 10'000);
  series.record(700'000, 1'234'567);
  std::uint64_t count = 0;
  for (const auto& each : series.points()) {
    count += each.count;
    if (each.t_ns + series.step_ns() <= 500'000) {
      EXPECT_EQ(each.max, 100);
    } else if (each.t_ns >= 500'000) {
      EXPECT_LE(std::abs(each.p50 - 10'000), 300);
    }
    EXPECT_EQ(each.max == 1'234'567, each.t_ns <= 700'000 && 700'000 < each.t_ns + series.step_ns()) << each.t_ns;
  }
  EXPECT_EQ(count, 10'001U);
  EXPECT_GT(series.points().size(), 128U);
  EXPECT_LE(series.points().size(), 256U);
}

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
