// SPDX-License-Identifier: MIT
// firing::rearm_at and rearm_after: the same timer once more, from inside its run.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using EnginePeriodicRearm = drive::on_both_wheels;

INSTANTIATE_TEST_SUITE_P(Wheels, EnginePeriodicRearm, drive::both_wheels, drive::wheel_name);

TEST_P(EnginePeriodicRearm, RunsAOneShotAgainAtThatTime) {
  engine_.schedule_at(at(10), [&](firing& f) {
    fired_.push_back(static_cast<int>(f.deadline().time_since_epoch().count()));
    if (fired_.size() < 3) f.rearm_at(f.deadline() + 5ns);
  });
  for (int now = 0; now < 40; ++now) rig_.poll_at(at(now));
  EXPECT_EQ(fired_, (ids{10, 15, 20}));
}

TEST_P(EnginePeriodicRearm, CountsADelayFromTheCall) {
  engine_.schedule_at(at(10), [&](firing& f) {
    clock_.advance(3ns);
    f.rearm_after(5ns);
    clock_.advance(3ns);
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(engine_.next_deadline(), at(18));
}

TEST_P(EnginePeriodicRearm, KeepsTheHandleAndTheCaptures) {
  auto captured = std::make_shared<int>();
  std::vector<timer> selves;
  timer t = engine_.schedule_at(at(10), [&, captured](firing& f) {
    selves.push_back(f.self());
    if (selves.size() < 3) f.rearm_after(1ns);
  });
  rig_.poll_all_at(at(10));
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(captured.use_count(), 2);
  rig_.poll_all_at(at(11));
  rig_.poll_all_at(at(12));
  EXPECT_EQ(selves, (std::vector{t, t, t}));
  EXPECT_EQ(captured.use_count(), 1);
}

TEST_P(EnginePeriodicRearm, LetsALaterCallReplaceAnEarlierOne) {
  engine_.schedule_at(at(10), [](firing& f) {
    f.rearm_at(at(20));
    f.rearm_at(at(50));
    f.rearm_at(at(30));
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(engine_.next_deadline(), at(30));
  EXPECT_EQ(engine_.pending(), 1u);
}

TEST_P(EnginePeriodicRearm, IsVoidIfTheRunCancelledItselfBefore) {
  engine_.schedule_at(at(10), [](firing& f) {
    f.self().cancel();
    f.rearm_after(1ns);
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(engine_.pending(), 0u);
  EXPECT_EQ(rig_.poll_at(at(100)), 0u);
}

TEST_P(EnginePeriodicRearm, IsVoidIfTheRunCancelsItselfAfterwards) {
  engine_.schedule_at(at(10), [](firing& f) {
    f.rearm_after(1ns);
    EXPECT_EQ(f.self().cancel(), cancel_result::running);
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(rig_.poll_at(at(100)), 0u);
  EXPECT_EQ(engine_.metrics().expired, 1u);
}

TEST_P(EnginePeriodicRearm, IsVoidInAPeriodicTimerThatWasCancelledInItsRun) {
  engine_.schedule_at_fixed_rate(10ns, 10ns, [](firing& f) {
    f.self().cancel();
    f.rearm_after(1ns);
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(engine_.pending(), 0u);
  EXPECT_EQ(rig_.poll_at(at(100)), 0u);
}

TEST_P(EnginePeriodicRearm, HoldsThoughTheCallbackThrows) {
  drive::virtual_engine rig(with_wheel({.on_error = [](std::exception_ptr) {}}));
  timer t = rig.engine.schedule_at(at(10), [](firing& f) {
    f.rearm_after(5ns);
    throw std::runtime_error("thrown");
  });
  rig.poll_at(at(10));
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(rig.engine.next_deadline(), at(15));
  EXPECT_EQ(rig.engine.metrics().failed, 1u);
}

TEST_P(EnginePeriodicRearm, MakesTheTimerPendingAgainOnlyAfterTheRun) {
  timer t;
  t = engine_.schedule_at(at(10), [&](firing& f) {
    f.rearm_after(5ns);
    fired_.push_back(t.pending() ? 1 : 0);
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(fired_, ids{0});
  EXPECT_TRUE(t.pending());
}

TEST_P(EnginePeriodicRearm, AnchorsAFixedRateAgain) {
  std::vector<time_point> deadlines;
  engine_.schedule_at_fixed_rate(100ns, 100ns, [&](firing& f) {
    deadlines.push_back(f.deadline());
    if (deadlines.size() == 2) f.rearm_at(at(230));
  });
  for (int now = 0; now <= 500; now += 10) rig_.poll_at(at(now));
  EXPECT_EQ(deadlines, (std::vector{at(100), at(200), at(230), at(330), at(430)}));
}

TEST_P(EnginePeriodicRearm, ReplacesOneDelayOfAFixedDelay) {
  std::vector<time_point> deadlines;
  engine_.schedule_with_fixed_delay(100ns, 100ns, [&](firing& f) {
    deadlines.push_back(f.deadline());
    if (deadlines.size() == 1) f.rearm_after(30ns);
  });
  for (int now = 0; now <= 300; now += 10) rig_.poll_at(at(now));
  EXPECT_EQ(deadlines, (std::vector{at(100), at(130), at(230)}));
}

TEST_P(EnginePeriodicRearm, TakesItsTurnAfterWhatWasArmedForThatDeadlineBefore) {
  engine_.schedule_at(at(10), [&](firing& f) {
    fired_.push_back(1);
    if (fired_.size() == 1) f.rearm_at(at(20));
  });
  engine_.schedule_at(at(20), rig_.note(2));
  rig_.poll_at(at(10));
  engine_.schedule_at(at(20), rig_.note(3));
  rig_.poll_at(at(20));
  EXPECT_EQ(fired_, (ids{1, 2, 1, 3}));
}

// So far that the hashed wheel keeps them in the lists of a slot, which do not keep their order.
TEST_P(EnginePeriodicRearm, KeepsTheOrderOfManyHoweverFarTheyGo) {
  ids expected;
  for (int id = 1; id <= 20; ++id) {
    engine_.schedule_at(at(10), [&, id](firing& f) {
      fired_.push_back(id);
      if (f.deadline() == at(10)) f.rearm_at(at(1'000'000));
    });
    expected.push_back(id);
  }
  rig_.poll_at(at(10));
  EXPECT_EQ(fired_, expected);
  fired_.clear();
  rig_.poll_at(at(1'000'000));
  EXPECT_EQ(fired_, expected);
}

TEST_P(EnginePeriodicRearm, SaturatesAtTheEndOfTime) {
  timer t = engine_.schedule_at(at(10), [](firing& f) { f.rearm_after(duration::max()); });
  rig_.poll_at(at(10));
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(engine_.next_deadline(), time_point::max());
}

TEST_P(EnginePeriodicRearm, LetsTheReArmedTimerBeCancelledAndRestarted) {
  timer t = engine_.schedule_at(at(10), [&](firing& f) {
    fired_.push_back(1);
    f.rearm_after(10ns);
  });
  rig_.poll_at(at(10));
  EXPECT_TRUE(t.restart_at(at(15)));
  EXPECT_EQ(rig_.poll_at(at(15)), 1u);
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  EXPECT_EQ(rig_.poll_at(at(100)), 0u);
}

TEST_P(EnginePeriodicRearm, DoesNothingInTheRunOfAnUnfired) {
  engine_.schedule_at(at(10), [&](firing& f) {
    fired_.push_back(f.self() ? 1 : 0);
    f.rearm_after(1ns);
  });
  std::vector<unfired> left = engine_.stop();
  ASSERT_EQ(left.size(), 1u);
  left[0].run();
  EXPECT_EQ(fired_, ids{0});
  EXPECT_EQ(engine_.pending(), 0u);
}

}  // namespace
}  // namespace detent
