// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using drive::at;
using drive::ids;
using EnginePoll = drive::in_virtual_time;

TEST_F(EnginePoll, FiresWhatIsDueInDeadlineOrderAndSaysHowMany) {
  for (int id : {30, 10, 40, 20}) engine_.schedule_at(at(id), rig_.note(id));
  EXPECT_EQ(rig_.poll_at(at(30)), 3u);
  EXPECT_EQ(fired_, (ids{10, 20, 30}));
}

TEST_F(EnginePoll, FiresNothingANanosecondEarly) {
  engine_.schedule_at(at(1'000'000), rig_.note(1));
  EXPECT_EQ(rig_.poll_at(at(999'999)), 0u);
  EXPECT_EQ(rig_.poll_at(at(1'000'000)), 1u);
}

TEST_F(EnginePoll, RunsAtMostAsManyCallbacksAsAsked) {
  for (int id = 0; id < 5; ++id) engine_.schedule_at(at(10), rig_.note(id));
  EXPECT_EQ(rig_.poll_at(at(10), 2), 2u);
  EXPECT_EQ(fired_, (ids{0, 1}));
  EXPECT_EQ(rig_.poll_at(at(11), 1), 1u);
  EXPECT_EQ(rig_.poll_at(at(11)), 2u);
  EXPECT_EQ(fired_, (ids{0, 1, 2, 3, 4}));
}

TEST_F(EnginePoll, LeavesALeftoverRestartedLaterForThatTime) {
  engine_.schedule_at(at(10), rig_.note(10));
  timer second = engine_.schedule_at(at(20), rig_.note(20));
  rig_.poll_at(at(50), 1);
  EXPECT_TRUE(second.restart_at(at(60)));
  EXPECT_EQ(rig_.poll_at(at(59)), 0u);
  EXPECT_EQ(rig_.poll_at(at(60)), 1u);
}

// Each wheel has to know that the timer is no longer in it.
TEST_F(EnginePoll, DoesNotFireALeftoverThatWasCancelled) {
  for (const wheel_kind wheel : {wheel_kind::hierarchical, wheel_kind::hashed}) {
    drive::virtual_engine rig({.wheel = wheel});
    rig.engine.schedule_at(at(10), rig.note(10));
    timer second = rig.engine.schedule_at(at(20), rig.note(20));
    rig.poll_at(at(50), 1);
    EXPECT_EQ(second.cancel(), cancel_result::cancelled);
    EXPECT_EQ(rig.poll_at(at(50)), 0u);
  }
}

TEST_F(EnginePoll, FollowsAChainOfTimersArmedForThatInstantToItsEnd) {
  int left = 1000;
  std::function<void()> next = [&] {
    if (--left > 0) engine_.schedule_after(duration(0), [&] { next(); });
  };
  engine_.schedule_at(at(10), [&] { next(); });
  EXPECT_EQ(rig_.poll_at(at(10)), 1000u);
}

TEST_F(EnginePoll, RunsATimerThatReArmsForThatInstantAtMostOnceACall) {
  engine_.schedule_at(at(10), [&](firing& f) {
    fired_.push_back(static_cast<int>(fired_.size()));
    f.rearm_after(duration(0));
  });
  for (int call = 0; call < 5; ++call) EXPECT_EQ(rig_.poll_at(at(10)), 1u);
}

}  // namespace
}  // namespace detent
