// SPDX-License-Identifier: MIT
// The place of what is restarted when it is due already, and its turn about to come.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using drive::at;
using drive::ids;

class EngineOrderRestart : public drive::in_virtual_time {
 protected:
  // Restarts a timer of that deadline to 20, and arms twenty others for 20 afterwards. Returns the order of all.
  ids restart_before_others(time_point deadline) {
    timer moved = engine_.schedule_at(deadline, rig_.note(0));
    rig_.poll_at(at(0));
    EXPECT_TRUE(moved.restart_at(at(20)));
    ids order{0};
    for (int id = 1; id <= 20; ++id) {
      engine_.schedule_at(at(20), rig_.note(id));
      order.push_back(id);
    }
    return order;
  }
};

TEST_F(EngineOrderRestart, ToItsOwnDeadlineGoesAfterItsEqualsThoughItIsDue) {
  timer second;
  engine_.schedule_at(at(10), [&] {
    fired_.push_back(1);
    EXPECT_TRUE(second.restart_at(at(10)));
  });
  second = engine_.schedule_at(at(10), rig_.note(2));
  engine_.schedule_at(at(10), rig_.note(3));
  rig_.poll_at(at(10));
  EXPECT_EQ(fired_, (ids{1, 3, 2}));
}

// So many that they fire as a run.
TEST_F(EngineOrderRestart, ToItsOwnDeadlineGoesAfterItsEqualsHoweverManyTheyAre) {
  timer second;
  engine_.schedule_at(at(10), [&] {
    fired_.push_back(1);
    EXPECT_TRUE(second.restart_at(at(10)));
  });
  second = engine_.schedule_at(at(10), rig_.note(2));
  ids expected{1};
  for (int id = 3; id <= 20; ++id) {
    engine_.schedule_at(at(10), rig_.note(id));
    expected.push_back(id);
  }
  expected.push_back(2);
  rig_.poll_at(at(10));
  EXPECT_EQ(fired_, expected);
}

// They fire as a run, and it is put to its place in the middle of that.
TEST_F(EngineOrderRestart, ToItsOwnDeadlineGoesBeforeWhatWasArmedForItAfterwards) {
  const ids expected = restart_before_others(at(20));
  rig_.poll_at(at(20));
  EXPECT_EQ(fired_, expected);
}

// The wheel notices the restart only at the old deadline. By then the others, which were armed later, are in order.
TEST_F(EngineOrderRestart, ToALaterDeadlineGoesBeforeWhatWasArmedForItAfterwards) {
  const ids expected = restart_before_others(at(10));
  rig_.poll_at(at(10));
  EXPECT_EQ(fired_, ids{});
  rig_.poll_at(at(20));
  EXPECT_EQ(fired_, expected);
}

TEST_F(EngineOrderRestart, ToAnEarlierDeadlineGoesBeforeWhatIsDueAfterIt) {
  timer last;
  engine_.schedule_at(at(10), [&] {
    fired_.push_back(1);
    EXPECT_TRUE(last.restart_at(at(15)));
  });
  engine_.schedule_at(at(20), rig_.note(2));
  last = engine_.schedule_at(at(30), rig_.note(3));
  rig_.poll_at(at(30));
  EXPECT_EQ(fired_, (ids{1, 3, 2}));
}

}  // namespace
}  // namespace detent
