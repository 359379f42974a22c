// SPDX-License-Identifier: MIT
#include <detent/time.hpp>

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

TEST(AddSaturated, HoldsAtTheEndsAndIsExactBetween) {
  EXPECT_EQ(add_saturated(2, 3), 5);
  EXPECT_EQ(add_saturated(2, -3), -1);
  EXPECT_EQ(add_saturated(forever, 1), forever);
  EXPECT_EQ(add_saturated(1, forever), forever);
  EXPECT_EQ(add_saturated(forever - 1, 1), forever);
  EXPECT_EQ(add_saturated(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(add_saturated(-1, INT64_MIN), INT64_MIN);
  EXPECT_EQ(add_saturated(INT64_MIN, forever), -1);
}

TEST(SubtractSaturated, HoldsAtTheEndsAndIsExactBetween) {
  EXPECT_EQ(subtract_saturated(2, 3), -1);
  EXPECT_EQ(subtract_saturated(2, -3), 5);
  EXPECT_EQ(subtract_saturated(forever, -1), forever);
  EXPECT_EQ(subtract_saturated(0, INT64_MIN), forever);
  EXPECT_EQ(subtract_saturated(-1, INT64_MIN), forever);
  EXPECT_EQ(subtract_saturated(INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(subtract_saturated(-2, forever), INT64_MIN);
}

}  // namespace
}  // namespace detent::detail
