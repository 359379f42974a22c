// SPDX-License-Identifier: MIT
#include "submission/fence_policy.hpp"

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

TEST(FencePolicy, HasTheDriverPayForManyPushesToARaiseOnly) {
  fence_policy few, many;
  for (int raise = 0; raise < 64; ++raise) {
    few.count_pushes(fence_policy::break_even / 2);
    many.count_pushes(fence_policy::break_even * 3);
    few.count_raise();
    many.count_raise();
  }
  EXPECT_TRUE(many.prefers_asymmetric(false));
  EXPECT_FALSE(few.prefers_asymmetric(true));
}

TEST(FencePolicy, DoesNotWaverBetweenTheTwoThresholds) {
  for (bool now : {false, true}) {
    fence_policy between;
    for (int raise = 0; raise < 64; ++raise) {
      between.count_pushes(fence_policy::break_even * 3 / 2);
      between.count_raise();
    }
    EXPECT_EQ(between.prefers_asymmetric(now), now);
  }
}

}  // namespace
}  // namespace detent::detail
