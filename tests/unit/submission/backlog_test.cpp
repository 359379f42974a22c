// SPDX-License-Identifier: MIT
#include "submission/backlog.hpp"

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

constexpr nanoseconds_t millisecond = 1'000'000;

TEST(Backlog, RingsAtItsLimitAndNotBefore) {
  backlog told;
  EXPECT_FALSE(told.add(backlog::least - 1));
  EXPECT_FALSE(told.is_full(0));
  EXPECT_TRUE(told.add(1));
  EXPECT_TRUE(told.is_full(0));
  told.set_left(0);
  EXPECT_FALSE(told.is_full(millisecond));
}

TEST(Backlog, GrowsToItsMostWhileRingsAreCloseAndShrinksToItsLeast) {
  backlog told;
  nanoseconds_t now = 0;
  auto fill = [&](nanoseconds_t after) {
    now += after;
    told.set_left(backlog::most);
    EXPECT_TRUE(told.is_full(now));
    return 2 * told.may_stay();
  };
  EXPECT_EQ(fill(100 * millisecond), backlog::least);
  EXPECT_EQ(fill(millisecond), 2 * backlog::least);
  for (int i = 0; i < 20; ++i) fill(millisecond);
  EXPECT_EQ(fill(millisecond), backlog::most);
  EXPECT_EQ(fill(20 * millisecond), backlog::most);
  EXPECT_EQ(fill(40 * millisecond), backlog::most / 2);
  for (int i = 0; i < 20; ++i) fill(40 * millisecond);
  EXPECT_EQ(fill(40 * millisecond), backlog::least);
}

}  // namespace
}  // namespace detent::detail
