// SPDX-License-Identifier: MIT
#include "timer/tick_grid.hpp"

#include "support/random_source.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace detent::detail {
namespace {

TEST(TickGrid, HoldsAtTheEndsOfTime) {
  for (nanoseconds_t tick : {nanoseconds_t{1}, nanoseconds_t{3}, nanoseconds_t{1'000}, forever}) {
    tick_grid grid(tick);
    EXPECT_EQ(grid.round_up(forever), forever);
    EXPECT_EQ(grid.round_down(forever), forever);
    EXPECT_EQ(grid.round_down(INT64_MIN), INT64_MIN);
    EXPECT_GE(grid.round_up(forever - 1), forever - 1);
    EXPECT_LE(grid.round_up(INT64_MIN), INT64_MIN + (tick - 1));
  }
  EXPECT_EQ(tick_grid(1'000).round_up(forever - 1), forever);
}

TEST(TickGrid, RoundsToTheNearestMultipleOnEitherSide) {
  test::random_source random(11);
  for (int i = 0; i < 20'000; ++i) {
    nanoseconds_t tick = random.any_magnitude(40) + 1;
    nanoseconds_t t = random.any_magnitude(61) * (random.between(0, 1) == 0 ? 1 : -1);
    tick_grid grid(tick);
    nanoseconds_t up = grid.round_up(t), down = grid.round_down(t);
    ASSERT_EQ(up % tick, 0);
    ASSERT_EQ(down % tick, 0);
    ASSERT_LE(down, t);
    ASSERT_GE(up, t);
    ASSERT_EQ(up - down, up == t ? 0 : tick);
  }
}

TEST(TickGrid, PutsNoTwoMultiplesIntoOneUnit) {
  test::random_source random(12);
  for (int i = 0; i < 20'000; ++i) {
    nanoseconds_t tick = random.any_magnitude(62) + 1;
    nanoseconds_t most = forever / tick - 1;
    nanoseconds_t multiple = random.between(-most, most) * tick;
    unsigned shift = tick_grid(tick).unit_shift();
    ASSERT_NE(to_unsigned(multiple) >> shift, to_unsigned(multiple + tick) >> shift) << multiple << ", tick " << tick;
  }
}

TEST(UnsignedTime, KeepsTheOrderAndComesBack) {
  const std::vector<nanoseconds_t> ascending{INT64_MIN, INT64_MIN + 1, -1, 0, 1, forever - 1, forever};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    EXPECT_EQ(to_signed(to_unsigned(ascending[i])), ascending[i]);
    EXPECT_TRUE(i == 0 || to_unsigned(ascending[i - 1]) < to_unsigned(ascending[i]));
  }
}

}  // namespace
}  // namespace detent::detail
