// SPDX-License-Identifier: MIT
// The place of what is restarted when it is due already, and its turn about to come.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using drive::at;
using drive::ids;

class EngineOrderRestart : public drive::on_both_wheels {};
INSTANTIATE_TEST_SUITE_P(Wheels, EngineOrderRestart, drive::both_wheels, drive::wheel_name);

TEST_P(EngineOrderRestart, ToItsOwnDeadlineGoesAfterItsEqualsThoughItIsDue) {
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
TEST_P(EngineOrderRestart, ToItsOwnDeadlineGoesAfterItsEqualsHoweverManyTheyAre) {
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

// All of it comes due at once: two runs, one of which holds a timer that has been restarted into the time of the other,
// and beside them one that has come to the first run's time from elsewhere.
TEST_P(EngineOrderRestart, FromOneRunIntoAnotherGoesByTheOrderOfTheArmings) {
  timer from_elsewhere = engine_.schedule_at(at(1), rig_.note(1));
  timer moved = engine_.schedule_at(at(10), rig_.note(100));
  ids expected;
  for (int id = 2; id <= 20; ++id) {
    engine_.schedule_at(at(10), rig_.note(id));
    expected.push_back(id);
  }
  rig_.poll_at(at(0));  // from now on they are in the wheel
  EXPECT_TRUE(from_elsewhere.restart_at(at(10)));
  EXPECT_TRUE(moved.restart_at(at(20)));
  expected.insert(expected.end(), {1, 100});
  for (int id = 101; id <= 120; ++id) {
    engine_.schedule_at(at(20), rig_.note(id));
    expected.push_back(id);
  }
  rig_.poll_at(at(30));
  EXPECT_EQ(fired_, expected);
}

TEST_P(EngineOrderRestart, ToAnEarlierDeadlineGoesBeforeWhatIsDueAfterIt) {
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

// It waits among what is due already, where a paused group's members have no time.
TEST_P(EngineOrderRestart, OfAMemberThatIsLeftOverHoldsWhenItsPausedGroupGoesOn) {
  timer_group group(engine_);
  engine_.schedule_at(at(100), rig_.note(1));
  engine_.schedule_at(at(300), rig_.note(2));
  timer moved = group.schedule_at(at(400), rig_.note(3));
  rig_.poll_at(at(1'000), 1);
  group.pause();
  EXPECT_TRUE(moved.restart_at(at(200)));
  engine_.poll(0);
  group.resume();
  engine_.poll(0);
  EXPECT_EQ(engine_.next_deadline(), at(200));
  engine_.poll();
  EXPECT_EQ(fired_, (ids{1, 3, 2}));
}

TEST_P(EngineOrderRestart, ToALaterDeadlineThatIsDueTooGoesThere) {
  timer second;
  engine_.schedule_at(at(10), [&] {
    fired_.push_back(1);
    EXPECT_TRUE(second.restart_at(at(30)));
  });
  second = engine_.schedule_at(at(20), rig_.note(2));
  engine_.schedule_at(at(25), rig_.note(3));
  rig_.poll_at(at(30));
  EXPECT_EQ(fired_, (ids{1, 3, 2}));
}

}  // namespace
}  // namespace detent
