// SPDX-License-Identifier: MIT
// The driver inserts a timer that may fire late at the roundest time that its slack allows.
#include "groups/node_view.hpp"

#include <gtest/gtest.h>

#include <bit>

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

}  // namespace
}  // namespace detent::detail
