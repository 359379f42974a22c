// SPDX-License-Identifier: MIT
#include "submission/backlog.hpp"

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

constexpr nanoseconds_t millisecond = 1'000'000;

TEST(Backlog, RingsAtItsLimitAndNotBefore) {
  backlog reported;
  EXPECT_FALSE(reported.add(limits::least_backlog - 1));
  EXPECT_FALSE(reported.is_full(0));
  EXPECT_TRUE(reported.add(1));
  EXPECT_TRUE(reported.is_full(0));
  reported.set_left(0);
  EXPECT_FALSE(reported.is_full(millisecond));
}

TEST(Backlog, GrowsToItsMostWhileRingsAreCloseAndShrinksToItsLeast) {
  backlog reported;
  nanoseconds_t now = 0;
  auto fill = [&](nanoseconds_t after) {
    now += after;
    reported.set_left(limits::most_backlog);
    EXPECT_TRUE(reported.is_full(now));
    return 2 * reported.may_stay();
  };
  EXPECT_EQ(fill(100 * millisecond), limits::least_backlog);
  EXPECT_EQ(fill(millisecond), 2 * limits::least_backlog);
  for (int i = 0; i < 20; ++i) fill(millisecond);
  EXPECT_EQ(fill(millisecond), limits::most_backlog);
  EXPECT_EQ(fill(20 * millisecond), limits::most_backlog);
  EXPECT_EQ(fill(40 * millisecond), limits::most_backlog / 2);
  for (int i = 0; i < 20; ++i) fill(40 * millisecond);
  EXPECT_EQ(fill(40 * millisecond), limits::least_backlog);
}

}  // namespace
}  // namespace detent::detail
