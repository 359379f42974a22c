// SPDX-License-Identifier: MIT
#include "submission/fence_policy.hpp"

#include "limits.hpp"

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

TEST(FencePolicy, HasTheDriverPayForManyPushesToARaiseOnly) {
  fence_policy few(2), many(2);
  for (int raise = 0; raise < 64; ++raise) {
    few.count_pushes(few.break_even() / 2);
    many.count_pushes(many.break_even() * 3);
    few.count_raise();
    many.count_raise();
  }
  EXPECT_TRUE(many.prefers_asymmetric(false));
  EXPECT_FALSE(few.prefers_asymmetric(true));
}

TEST(FencePolicy, DoesNotWaverBetweenTheTwoThresholds) {
  for (bool now : {false, true}) {
    fence_policy between(2);
    for (int raise = 0; raise < 64; ++raise) {
      between.count_pushes(between.break_even() * 3 / 2);
      between.count_raise();
    }
    EXPECT_EQ(between.prefers_asymmetric(now), now);
  }
}

// A heavy fence interrupts each CPU that runs a thread of the process.
TEST(FencePolicy, HasTheDriverPayLaterWhereItsFenceCostsMore) {
  EXPECT_EQ(fence_policy(2).break_even(), 2 * limits::pushes_a_cpu);
  EXPECT_EQ(fence_policy(64).break_even(), 64 * limits::pushes_a_cpu);
  fence_policy slow(2);
  slow.set_cost(10 * limits::usual_fence);
  EXPECT_EQ(slow.break_even(), 20 * limits::pushes_a_cpu);
  fence_policy fast(2);
  fast.set_cost(100);
  EXPECT_EQ(fast.break_even(), 2 * limits::pushes_a_cpu);
}

}  // namespace
}  // namespace detent::detail
