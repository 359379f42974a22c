// SPDX-License-Identifier: MIT
// A group's time is paused with the group: each member keeps its remaining time until the group is resumed.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "support/engine_executors.hpp"
#include "support/group_engine.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::ids;
using testing::holding_executor;

class TimerGroupPause : public drive::groups_in_virtual_time {
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

TEST_F(TimerGroupPause, WhatIsLeftIsLeftAtItsResumption) {
  group_.schedule_after(10ms, clock_in());
  pause_from_to_ms(4, 100);
  poll_each_ms(101, 120);
  EXPECT_EQ(ran_, std::vector{106});
  EXPECT_EQ(reported_, ran_);
}

TEST_F(TimerGroupPause, NothingFiresMeanwhileAndNoBurstFollows) {
  group_.schedule_at_fixed_rate(1ms, 1ms, clock_in(), {.missed_policy = missed_ticks::burst});
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

TEST_F(TimerGroupPause, WhatWentBackKeepsItsOrder) {
  auto holding = std::make_shared<holding_executor>();
  drive::virtual_engine rig({.executor = holding});
  timer_group group(rig.engine);
  group.schedule_after(0ns, [] {}).cancel();
  std::thread([&rig] {
    for (int i = 0; i < 70'000; ++i) rig.engine.schedule_after(0ns, [] {});
  }).join();
  rig.poll_at(drive::at(0));  // from here on a count of hand-overs is beyond this thread's count of armings
  holding->run_all();
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

}  // namespace
}  // namespace detent
