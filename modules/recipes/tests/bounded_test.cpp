// SPDX-License-Identifier: MIT
// Exact where it fits 64 bits, and the greatest or the least where it does not.
#include <detent/recipes/detail/bounded.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace detent::recipes::detail {
namespace {

constexpr std::uint64_t half = std::uint64_t{1} << 63;

TEST(RecipesBounded, ProductsAreExactUntilTheyDoNotFit) {
  EXPECT_EQ(bounded_product(0, endless), 0u);
  EXPECT_EQ(bounded_product(4294967295, 4294967297), endless);  // 2^64 - 1, exactly
  EXPECT_EQ(bounded_product(4294967296, 4294967295), 18446744069414584320u);
  EXPECT_EQ(bounded_product(4294967296, 4294967296), endless);  // 2^64
  EXPECT_EQ(bounded_product(6148914691236517205, 3), endless);  // 2^64 - 1, exactly
  EXPECT_EQ(bounded_product(6148914691236517204, 3), endless - 3);
  EXPECT_EQ(bounded_product(endless, 2), endless);
}

TEST(RecipesBounded, PowersOfTwoAreExactUntilTheyDoNotFit) {
  EXPECT_EQ(bounded_shift(1, 63), half);
  EXPECT_EQ(bounded_shift(3, 63), endless);
  EXPECT_EQ(bounded_shift(endless, 0), endless);
  EXPECT_EQ(shift_up(8, 3), 1u);
  EXPECT_EQ(shift_up(9, 3), 2u);
  EXPECT_EQ(shift_up(endless, 0), endless);
  EXPECT_EQ(shift_up(endless, 63), 2u);
}

TEST(RecipesBounded, PointsStayBetweenTheLeastAndTheGreatest) {
  EXPECT_EQ(later(INT64_MIN, endless), INT64_MAX);  // as far apart as 64 bits allow
  EXPECT_EQ(later(INT64_MIN, half), 0);
  EXPECT_EQ(later(-1, half), INT64_MAX);  // exactly
  EXPECT_EQ(later(0, half), INT64_MAX);
  EXPECT_EQ(later(INT64_MAX - 5, 5), INT64_MAX);
  EXPECT_EQ(later(INT64_MAX - 5, 4), INT64_MAX - 1);
  EXPECT_EQ(earlier(INT64_MAX, endless), INT64_MIN);
  EXPECT_EQ(earlier(INT64_MAX, half), -1);
  EXPECT_EQ(earlier(-1, half), INT64_MIN);
  EXPECT_EQ(distance(INT64_MIN, INT64_MAX), endless);
  EXPECT_EQ(distance(-3, 4), 7u);
  EXPECT_EQ(distance(4, -3), 0u);
}

}  // namespace
}  // namespace detent::recipes::detail
