// SPDX-License-Identifier: MIT
// Where the driver inserts a timer that may fire late: at the roundest time that its slack allows.
#include "groups/node_view.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>

#include "support/random_source.hpp"

namespace detent::detail {
namespace {

// On the line of time as it is counted: from its beginning.
int trailing_zeros(nanoseconds_t t) { return std::countr_zero(to_unsigned(t)); }

TEST(Coalesced, AgreesWithASearchThroughAllThatIsWithinTheSlack) {
  for (nanoseconds_t t = -70; t <= 70; ++t) {
    for (nanoseconds_t slack = 0; slack <= 70; ++slack) {
      nanoseconds_t roundest = t;
      for (nanoseconds_t each = t; each <= t + slack; ++each) {
        if (trailing_zeros(each) > trailing_zeros(roundest)) roundest = each;
      }
      EXPECT_EQ(coalesced(t, slack), roundest) << t << " + " << slack;
    }
  }
}

// A restart to a later deadline is found at the old place: that must not be later than the new one.
TEST(Coalesced, NeverPutsALaterDeadlineBeforeAnEarlierOne) {
  test::random_source random(8);
  for (int i = 0; i < 100'000; ++i) {
    const nanoseconds_t t = random.any_magnitude(62), later = t + random.any_magnitude(20);
    const nanoseconds_t slack = random.any_magnitude(40);
    EXPECT_LE(coalesced(t, slack), coalesced(later, slack)) << t << ' ' << later << ' ' << slack;
  }
}

TEST(Coalesced, SharesFewTimesAmongMany) {
  test::random_source random(9);
  constexpr nanoseconds_t spread = 100'000'000, slack = 5'000'000;
  std::set<nanoseconds_t> times;
  for (int i = 0; i < 10'000; ++i) times.insert(coalesced(random.between(nanoseconds_t{0}, spread), slack));
  EXPECT_LE(times.size(), static_cast<std::size_t>(2 * spread / slack));
}

// Of one slot that is described by hand.
class NodeViewTimes : public ::testing::TestWithParam<nanoseconds_t> {};

INSTANTIATE_TEST_SUITE_P(Ticks, NodeViewTimes, ::testing::Values(1, 10, 1000, 1'000'000, 999'983));

// What node_view::filing_time does with a deadline that is a multiple of the tick.
TEST_P(NodeViewTimes, StayOnTheGridAndNotBeforeTheDeadline) {
  const tick_grid grid(GetParam());
  test::random_source random(10);
  for (int i = 0; i < 10'000; ++i) {
    const nanoseconds_t deadline = grid.round_up(random.any_magnitude(60)), slack = random.any_magnitude(50);
    const nanoseconds_t placed = grid.round_down(coalesced(deadline, slack));
    EXPECT_EQ(placed % GetParam(), 0);
    EXPECT_GE(placed, deadline);
    EXPECT_LE(placed - deadline, slack);
  }
}

}  // namespace
}  // namespace detent::detail
