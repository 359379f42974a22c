// SPDX-License-Identifier: MIT
// A group's time is paused with it: what is left of each member is left when it goes on.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/engine_executors.hpp"
#include "support/group_engine.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::ids;
using testing::holding_executor;

class TimerGroupPause : public drive::on_each_engine {
 protected:
  void pause_from_to_ms(int from, int to) {
    poll_at_ms(from);
    group_.pause();
    poll_at_ms(to);
    group_.resume();
    poll_at_ms(to);
  }
  // The times at which a callback ran, in milliseconds.
  auto clock_in() {
    return [this](firing& run) {
      ran_.push_back(static_cast<int>(clock_.now().time_since_epoch() / 1ms));
      EXPECT_GE(run.lateness(), 0ns);
      reported_.push_back(static_cast<int>(run.deadline().time_since_epoch() / 1ms));
    };
  }
  void poll_each_ms(int from, int to) {
    for (int ms = from; ms <= to; ++ms) poll_at_ms(ms);
  }
  timer_group group_{engine_};
  std::vector<int> ran_, reported_;
};
INSTANTIATE_TEST_SUITE_P(All, TimerGroupPause, drive::each_engine, drive::engine_name);

TEST_P(TimerGroupPause, WhatIsLeftIsLeftAtItsResumption) {
  group_.schedule_after(10ms, clock_in());
  pause_from_to_ms(4, 100);
  poll_each_ms(101, 120);
  EXPECT_EQ(ran_, std::vector{106});
  EXPECT_EQ(reported_, ran_);
}

TEST_P(TimerGroupPause, NothingFiresMeanwhileAndNoBurstFollows) {
  group_.schedule_at_fixed_rate(1ms, 1ms, clock_in(), {.missed = missed_ticks::burst});
  for (int i = 0; i < 50; ++i) group_.schedule_after(1ms * (i + 1), rig_.note(i));
  poll_at_ms(1);
  pause_from_to_ms(2, 1000);
  EXPECT_EQ(fired_, (ids{0, 1}));
  EXPECT_EQ(ran_, (std::vector{1, 2}));
  poll_at_ms(1001);
  EXPECT_EQ(fired_, (ids{0, 1, 2}));
  EXPECT_EQ(ran_, (std::vector{1, 2, 1001}));
  EXPECT_EQ(reported_.back(), 1001);
}

TEST_P(TimerGroupPause, KeepsTheGridOfAFixedRate) {
  group_.schedule_at_fixed_rate(3ms, 7ms, clock_in());
  pause_from_to_ms(0, 0);
  poll_each_ms(1, 11);  // 3, 10
  pause_from_to_ms(12, 20);
  poll_each_ms(21, 45);
  EXPECT_EQ(ran_, (std::vector{3, 10, 25, 32, 39}));
  EXPECT_EQ(reported_, ran_);
}

TEST_P(TimerGroupPause, KeepsWhatIsLeftOfAFixedDelay) {
  group_.schedule_with_fixed_delay(3ms, 7ms, clock_in());
  poll_each_ms(1, 4);
  pause_from_to_ms(5, 50);
  poll_each_ms(51, 70);
  EXPECT_EQ(ran_, (std::vector{3, 55, 62, 69}));
}

TEST_P(TimerGroupPause, CountsWhatWasMissedBeforeIt) {
  std::uint64_t missed = 0;
  group_.schedule_at_fixed_rate(10ms, 10ms, [&](firing& run) { missed += run.missed(); });
  clock_.advance_to(drive::at(35ms));
  group_.pause();
  poll_at_ms(80);
  group_.resume();
  poll_at_ms(80);
  EXPECT_EQ(missed, 2u);
}

TEST_P(TimerGroupPause, TimersMayBeAddedMeanwhile) {
  poll_at_ms(10);
  group_.pause();
  group_.schedule_after(5ms, clock_in());
  group_.schedule_at(drive::at(5ms), clock_in());  // past: due at the resumption
  poll_at_ms(18);
  group_.schedule_after(5ms, clock_in());
  poll_at_ms(500);
  EXPECT_TRUE(ran_.empty());
  EXPECT_EQ(group_.pending(), 3u);
  group_.resume();
  poll_each_ms(500, 520);
  EXPECT_EQ(ran_, (std::vector{500, 505, 505}));
}

TEST_P(TimerGroupPause, NestsNoDeeperThanOne) {
  group_.schedule_after(10ms, clock_in());
  group_.resume();
  poll_at_ms(2);
  group_.pause();
  poll_at_ms(5);
  group_.pause();
  poll_at_ms(20);
  group_.resume();
  poll_at_ms(21);
  group_.resume();
  poll_each_ms(22, 40);
  EXPECT_EQ(ran_, std::vector{28});
}

TEST_P(TimerGroupPause, ARestartCountsFromTheResumption) {
  timer member = group_.schedule_after(10ms, clock_in());
  poll_at_ms(5);
  group_.pause();
  poll_at_ms(50);
  EXPECT_TRUE(member.pending());
  EXPECT_TRUE(member.restart_after(3ms));
  poll_at_ms(60);
  EXPECT_TRUE(ran_.empty());
  group_.resume();
  poll_each_ms(60, 70);
  EXPECT_EQ(ran_, std::vector{63});
}

TEST_P(TimerGroupPause, MembersMayBeCancelledMeanwhile) {
  timer member = group_.schedule_after(10ms, clock_in());
  group_.schedule_after(11ms, clock_in());
  poll_at_ms(1);
  group_.pause();
  EXPECT_EQ(member.cancel(), cancel_result::cancelled);
  group_.cancel_all();
  group_.schedule_after(12ms, clock_in());
  poll_at_ms(2);
  EXPECT_EQ(group_.pending(), 1u);
  group_.resume();
  poll_each_ms(2, 30);
  EXPECT_EQ(ran_, std::vector{14});
}

TEST_P(TimerGroupPause, ReArmsWithinThePausingCallback) {
  group_.schedule_after(1ms, [&](firing& run) {
    ran_.push_back(static_cast<int>(clock_.now().time_since_epoch() / 1ms));
    if (ran_.size() == 1) group_.pause();
    run.rearm_after(4ms);
  });
  poll_each_ms(1, 20);
  EXPECT_EQ(ran_, std::vector{1});
  group_.resume();
  poll_each_ms(20, 29);
  EXPECT_EQ(ran_, (std::vector{1, 24, 28}));
}

TEST_P(TimerGroupPause, WhatWasMadeInThePausingPassGoesOn) {
  engine_.schedule_after(1ms, [&] {
    group_.schedule_after(0ms, clock_in());
    group_.pause();
  });
  poll_at_ms(1);
  EXPECT_TRUE(ran_.empty());
  poll_at_ms(5);
  group_.resume();
  poll_at_ms(5);
  EXPECT_EQ(ran_, std::vector{5});
}

TEST_P(TimerGroupPause, WhatFiredInThePassThatMadeItGoesOn) {
  engine_.schedule_after(1ms, [&] { group_.schedule_at_fixed_rate(0ms, 10ms, clock_in()); });
  poll_at_ms(1);
  pause_from_to_ms(2, 40);
  poll_each_ms(41, 60);
  EXPECT_EQ(ran_, (std::vector{1, 49, 59}));
}

TEST_P(TimerGroupPause, WhatABoundedPollLeftOverWaits) {
  for (int i = 0; i < 4; ++i) group_.schedule_after(1ms, rig_.note(i));
  rig_.poll_at(drive::at(1ms), 2);
  group_.pause();
  poll_at_ms(5);
  EXPECT_EQ(fired_, (ids{0, 1}));
  group_.resume();
  poll_at_ms(5);
  EXPECT_EQ(fired_, (ids{0, 1, 2, 3}));
}

TEST_P(TimerGroupPause, LanesAndSlackHoldWithinIt) {
  group_.schedule_after(4ms, rig_.note(0), {.slack = 100ms});
  group_.schedule_after(4ms, rig_.note(3), {.lane = 3});
  engine_.schedule_after(4ms, rig_.note(1));
  pause_from_to_ms(1, 21);
  EXPECT_EQ(fired_, ids{1});
  poll_at_ms(24);
  EXPECT_EQ(fired_, (ids{1, 3}));
  poll_at_ms(125);
  EXPECT_EQ(fired_, (ids{1, 3, 0}));
}

TEST_P(TimerGroupPause, WhatAnExecutorHoldsGoesBackAndKeepsItsGrid) {
  auto holding = std::make_shared<holding_executor>();
  drive::virtual_engine rig(options({.executor = holding}));
  timer_group group(rig.engine);
  std::vector<int> ran;
  group.schedule_at_fixed_rate(2500us, 5ms, [&](firing& run) {
    EXPECT_GE(run.lateness(), 0ns);
    ran.push_back(static_cast<int>(run.deadline().time_since_epoch() / 100us));
  });
  rig.poll_at(drive::at(3ms));
  ASSERT_EQ(holding->held.size(), 1u);
  group.pause();
  holding->run_all();
  rig.poll_at(drive::at(13ms));
  holding->run_all();
  EXPECT_TRUE(ran.empty());
  EXPECT_EQ(group.pending(), 1u);
  group.resume();
  rig.engine.poll();
  holding->run_all();
  rig.poll_at(drive::at(18ms));
  holding->run_all();
  const bool exact = std::get<duration>(GetParam()) == 1ns;
  EXPECT_EQ(ran, exact ? (std::vector{125, 175}) : (std::vector{130, 180}));
  EXPECT_EQ(rig.engine.metrics().restarted, 0u);
}

TEST_P(TimerGroupPause, WhatWentBackKeepsItsOrder) {
  auto holding = std::make_shared<holding_executor>();
  drive::virtual_engine rig(options({.executor = holding}));
  timer_group group(rig.engine);
  for (int i = 0; i < 5; ++i) group.schedule_after(1ms, rig.note(i));
  for (int round = 1; round <= 3; ++round) {
    rig.poll_at(drive::at(1ms * round), 3);  // the others are not handed over
    group.pause();
    while (!holding->held.empty()) {  // the last first
      fired_timer last = std::move(holding->held.back());
      holding->held.pop_back();
      last();
    }
    rig.poll_at(drive::at(1ms * (round + 1)));
    group.resume();
  }
  rig.engine.poll();
  holding->run_all();
  EXPECT_EQ(rig.fired, (ids{0, 1, 2, 3, 4}));
}

// Resumed between two ticks, the group's time is not the engine's up to a whole number of them.
TEST_P(TimerGroupPause, BetweenTwoTicksDeadlinesAreStillOnThem) {
  const duration tick = std::get<duration>(GetParam());
  rig_.poll_at(drive::at(100us));
  group_.pause();
  rig_.poll_at(drive::at(1400us));
  group_.resume();
  std::vector<duration> due;
  group_.schedule_at_fixed_rate(1ms, 500us,
                                [&](firing& run) {
                                  due.push_back(run.deadline().time_since_epoch());
                                  EXPECT_GE(run.lateness(), 0ns);
                                  EXPECT_EQ(run.missed(), 0u);
                                },
                                {.missed = missed_ticks::burst});
  for (int step = 0; step <= 20; ++step) rig_.poll_at(drive::at(1400us + 250us * step));
  ASSERT_GE(due.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    const duration exact = 2400us + 500us * static_cast<int>(i);
    EXPECT_EQ(due[i], (exact + tick - 1ns) / tick * tick) << i;
  }
}

TEST_P(TimerGroupPause, HoldsAtFarTimesToo) {
  for (const time_point start :
       {time_point::min() + 1h, drive::at(-1h), drive::at(duration::max() / 3 * 2), time_point::max() - 24h * 365}) {
    const time_point begin(start.time_since_epoch() / 1ms * 1ms);
    drive::virtual_engine rig(options(), begin);
    timer_group group(rig.engine);
    group.schedule_after(10ms, rig.note(1));
    group.schedule_at(time_point::max(), rig.note(2));
    rig.poll_at(begin + 4ms);
    group.pause();
    rig.poll_at(begin + 1h);
    EXPECT_TRUE(rig.fired.empty());
    group.resume();
    rig.poll_at(begin + 1h + 5ms);
    EXPECT_TRUE(rig.fired.empty());
    rig.poll_at(begin + 1h + 6ms);
    EXPECT_EQ(rig.fired, ids{1});
    EXPECT_EQ(group.pending(), 1u);
  }
}

TEST_P(TimerGroupPause, ThousandsOfPausesLoseNothing) {
  group_.schedule_after(2000ms, clock_in());
  group_.schedule_at_fixed_rate(500ms, 500ms, rig_.note(1));
  for (int ms = 0; ms < 4000; ms += 2) {
    poll_at_ms(ms);
    group_.pause();
    poll_at_ms(ms + 1);
    group_.resume();
  }
  poll_at_ms(4000);
  EXPECT_EQ(fired_.size(), 4u);
  EXPECT_EQ(ran_, std::vector{4000});
}

}  // namespace
}  // namespace detent
