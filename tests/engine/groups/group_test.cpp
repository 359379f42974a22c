// SPDX-License-Identifier: MIT
// What cancel_all does to a group's members, and what it leaves alone.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "support/drive_problem.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/group_engine.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::ids;
using testing::at_end;
using testing::census;
using testing::holding_executor;
using testing::moody_executor;

class TimerGroup : public drive::on_each_engine {
 protected:
  timer_group group_{engine_};
};
INSTANTIATE_TEST_SUITE_P(All, TimerGroup, drive::each_engine, drive::engine_name);

TEST_P(TimerGroup, FiresItsMembersAsTheEngineDoes) {
  group_.schedule_after(2ms, rig_.note(2));
  engine_.schedule_after(2ms, rig_.note(20));
  group_.schedule_after(1ms, rig_.note(1));
  group_.try_schedule_at(drive::at(3ms), rig_.note(3));
  EXPECT_EQ(group_.pending(), 3u);
  poll_at_ms(3);
  EXPECT_EQ(fired_, (ids{1, 2, 20, 3}));
  EXPECT_EQ(group_.pending(), 0u);
  expect_balance(engine_);
}

TEST_P(TimerGroup, CancelsEveryKindOfMember) {
  census captures;
  auto noted = [&](int id) { return [note = rig_.note(id), here = captures.join()] { note(); }; };
  group_.schedule_after(1ms, noted(1));
  group_.schedule_at_fixed_rate(1ms, 1ms, noted(2));
  group_.schedule_with_fixed_delay(1ms, 1ms, noted(3));
  group_.schedule_after(1ms, noted(4), {.slack = 5ms, .lane = 3});
  group_.schedule_after(1ms, [note = rig_.note(5), here = captures.join()](firing& run) {
    note();
    run.rearm_after(1ms);
  });
  engine_.schedule_after(9ms, rig_.note(9));
  poll_at_ms(1);
  EXPECT_EQ(fired_.size(), 4u);  // lane 3 has slack
  fired_.clear();
  group_.cancel_all();
  poll_at_ms(1);
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(group_.pending(), 0u);
  EXPECT_EQ(engine_.pending(), 1u);
  poll_at_ms(9);
  EXPECT_EQ(fired_, ids{9});
  EXPECT_EQ(engine_.metrics().cancelled, 4u);
  expect_balance(engine_);
}

TEST_P(TimerGroup, NoMemberStartsAfterACancelInTheSamePass) {
  group_.schedule_after(1ms, [&] {
    fired_.push_back(1);
    group_.cancel_all();
  });
  for (int i = 0; i < 100; ++i) group_.schedule_after(1ms, rig_.note(2));
  engine_.schedule_after(1ms, rig_.note(3));
  poll_at_ms(1);
  EXPECT_EQ(fired_, (ids{1, 3}));
  EXPECT_EQ(group_.pending(), 0u);
  expect_balance(engine_);
}

TEST_P(TimerGroup, MembersOfLaterAreNotCancelled) {
  group_.schedule_after(1ms, rig_.note(1));
  group_.cancel_all();
  group_.schedule_after(1ms, rig_.note(2));
  poll_at_ms(1);
  EXPECT_EQ(fired_, ids{2});
}

TEST_P(TimerGroup, HandlesOfCancelledMembersAreSpent) {
  timer inserted = group_.schedule_after(1ms, rig_.note(1));
  poll_at_ms(0);
  timer submitted = group_.schedule_after(1ms, rig_.note(1));
  timer rate = group_.schedule_at_fixed_rate(1ms, 1ms, rig_.note(1));
  group_.cancel_all();
  for (timer each : {inserted, submitted, rate}) {
    EXPECT_FALSE(each.pending());
    EXPECT_FALSE(each.restart_after(1ms));
  }
  // Its captures may still be there: the call that destroys them returns `cancelled`.
  EXPECT_EQ(inserted.cancel(), cancel_result::cancelled);
  EXPECT_EQ(submitted.cancel_and_wait(), cancel_result::cancelled);
  poll_at_ms(0);
  for (timer each : {inserted, submitted, rate}) EXPECT_EQ(each.cancel(), cancel_result::gone);
  EXPECT_EQ(engine_.metrics().cancelled, 3u);
  expect_balance(engine_);
}

TEST_P(TimerGroup, HandlesOfMembersWorkAsAnyOthers) {
  timer moved = group_.schedule_after(1ms, rig_.note(1));
  timer cancelled = group_.schedule_after(1ms, rig_.note(2));
  EXPECT_TRUE(moved.restart_after(5ms));
  EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
  EXPECT_EQ(group_.pending(), 1u);
  poll_at_ms(4);
  EXPECT_TRUE(moved.restart_after(1ms));
  poll_at_ms(5);
  EXPECT_EQ(fired_, ids{1});
  EXPECT_FALSE(moved.restart_after(1ms));
  EXPECT_EQ(moved.cancel_and_wait(), cancel_result::gone);
}

TEST_P(TimerGroup, GivesPlacesBackWithinOneDrain) {
  drive::virtual_engine rig(options({.capacity = 3}));
  timer_group group(rig.engine);
  for (int i = 0; i < 3; ++i) group.schedule_after(1ms, [] {});
  EXPECT_EQ(drive::problem_of([&] { group.schedule_after(1ms, [] {}); }).code,
            make_error_code(errc::capacity_exceeded));
  group.cancel_all();
  rig.engine.poll();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(group.try_schedule_after(1ms, [] {}));
  EXPECT_FALSE(group.try_schedule_after(1ms, [] {}));
}

TEST_P(TimerGroup, ItsPeriodicMembersAreOfTheirKind) {
  timer rate = group_.schedule_at_fixed_rate(1ms, 10ms, rig_.note(1));
  poll_at_ms(5);
  EXPECT_EQ(engine_.next_deadline(), drive::at(11ms));
  rate.cancel();
  group_.schedule_with_fixed_delay(1ms, 10ms, rig_.note(2));
  poll_at_ms(9);
  EXPECT_EQ(engine_.next_deadline(), drive::at(19ms));
}

TEST_P(TimerGroup, RefusesAPeriodThatIsNone) {
  EXPECT_EQ(drive::problem_of([&] { group_.schedule_at_fixed_rate(1ms, 0ms, [] {}); }).code,
            make_error_code(errc::invalid_period));
  EXPECT_EQ(group_.pending(), 0u);
}

TEST_P(TimerGroup, WhatAnExecutorHoldsDoesNotStartOnceCancelled) {
  auto holding = std::make_shared<holding_executor>();
  drive::virtual_engine rig(options({.executor = holding}));
  timer_group group(rig.engine);
  census captures;
  for (int i = 0; i < 3; ++i) group.schedule_after(1ms, [note = rig.note(1), here = captures.join()] { note(); });
  rig.poll_at(drive::at(1ms));
  ASSERT_EQ(holding->held.size(), 3u);
  group.cancel_all();
  holding->run_first();  // before the drain: destroyed here
  EXPECT_EQ(captures.living(), 2);
  rig.engine.poll();
  EXPECT_EQ(captures.living(), 0);
  holding->run_all();
  EXPECT_TRUE(rig.fired.empty());
  EXPECT_EQ(rig.engine.metrics().cancelled, 3u);
  EXPECT_EQ(rig.engine.metrics().dropped, 0u);
}

TEST_P(TimerGroup, ACancelThatWaitsInsideAMemberReturns) {
  int after = 0;
  for (int round = 1; round <= 3; ++round) {  // of this epoch's parity and of the other
    group_.schedule_after(1ms, [&] {
      group_.cancel_all_and_wait();
      ++after;
    });
    group_.schedule_after(1ms, rig_.note(2));
    poll_at_ms(round);
    EXPECT_EQ(after, round);
  }
  EXPECT_TRUE(fired_.empty());
}

TEST_P(TimerGroup, ACancelThatWaitsInsideAnExecutorOnTheDriverReturns) {
  for (const bool refuse : {false, true}) {  // run by the executor at once, or by the engine as it refuses
    auto moody = std::make_shared<moody_executor>();
    moody->refuse = refuse;
    drive::virtual_engine rig(options({.executor = moody}));
    timer_group group(rig.engine);
    int runs = 0;
    for (int i = 0; i < 200; ++i) {
      group.schedule_after(1ms, [&] {
        ++runs;
        group.cancel_all_and_wait();
      });
    }
    rig.poll_at(drive::at(1ms));
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(moody->asked, 1) << "a cancelled member was offered";
    rig.engine.poll();
    EXPECT_EQ(group.pending(), 0u);
  }
}

// Both runs are the calling thread's own, the inner one and the one around it.
TEST_P(TimerGroup, ACancelThatWaitsInsideAMemberThatAnotherOneRunsReturns) {
  auto holding = std::make_shared<holding_executor>();
  drive::virtual_engine rig(options({.executor = holding}));
  timer_group group(rig.engine);
  bool returned = false;
  group.schedule_after(1ms, [&] { holding->run_first(); });
  group.schedule_after(1ms, [&] {
    group.cancel_all_and_wait();
    returned = true;
  });
  rig.poll_at(drive::at(1ms));
  holding->run_first();
  EXPECT_TRUE(returned);
}

TEST_P(TimerGroup, ARunningMemberIsCountedAsRunning) {
  timer self = group_.schedule_at_fixed_rate(1ms, 1ms, [&] {
    group_.cancel_all();
    EXPECT_FALSE(self.pending());
    EXPECT_EQ(self.cancel(), cancel_result::running);
  });
  poll_at_ms(5);
  poll_at_ms(9);
  EXPECT_EQ(engine_.metrics().fired, 1u);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_P(TimerGroup, TwoGroupsKnowNothingOfEachOther) {
  timer_group other(engine_);
  group_.schedule_after(1ms, rig_.note(1));
  other.schedule_after(1ms, rig_.note(2));
  group_.cancel_all();
  other.pause();
  poll_at_ms(1);
  EXPECT_TRUE(fired_.empty());
  other.resume();
  poll_at_ms(2);
  EXPECT_EQ(fired_, ids{2});
}

TEST_P(TimerGroup, ManyEpochsReclaimOnlyTheirOwn) {
  census captures;
  for (int epoch = 0; epoch < 1000; ++epoch) {
    for (int i = 0; i < 10; ++i) group_.schedule_after(1h, [here = captures.join()] {});
    if (epoch % 3 == 0) engine_.poll();
    group_.cancel_all();
  }
  group_.schedule_after(1h, [here = captures.join()] {});
  engine_.poll();
  EXPECT_EQ(captures.living(), 1);
  EXPECT_EQ(group_.pending(), 1u);
  group_.cancel_all();
  engine_.poll();
  EXPECT_EQ(captures.living(), 0);
  expect_balance(engine_);
}

// Submitted and cancelled while the driver scans another group: its scan of this one finds no member inserted.
TEST_P(TimerGroup, WhatIsInsertedWhenItHasBeenCancelledIsReclaimedAtOnce) {
  timer_group other(engine_);
  census captures;
  group_.schedule_after(1h, [last = at_end([&] {
                               std::thread([&] {
                                 other.schedule_after(1h, [here = captures.join()] {});
                                 other.cancel_all();
                               }).join();
                             })] {});
  poll_at_ms(0);
  group_.cancel_all();
  for (int i = 0; i < 3; ++i) poll_at_ms(0);
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(captures.ended(), 1);
  EXPECT_EQ(other.pending(), 0u);
  EXPECT_EQ(engine_.stop().size(), 0u);
}

// A bounded poll leaves it in the due queue, where the scan of all members after a resumption finds it.
TEST_P(TimerGroup, WhatIsDueAlreadyStaysDue) {
  group_.schedule_after(1ms, rig_.note(1));
  engine_.schedule_after(1ms, rig_.note(3), {.lane = 3});
  EXPECT_EQ(rig_.poll_at(drive::at(1ms), 1), 1u);
  group_.pause();
  group_.resume();
  poll_at_ms(1);
  EXPECT_EQ(fired_, (ids{3, 1}));
}

TEST_P(TimerGroup, TheNextDeadlineIsThatOfWhatIsLeft) {
  group_.schedule_after(1ms, [] {});
  engine_.schedule_after(5ms, [] {});
  EXPECT_EQ(engine_.next_deadline(), drive::at(1ms));
  group_.cancel_all();
  EXPECT_EQ(engine_.next_deadline(), drive::at(5ms));
}

TEST_P(TimerGroup, WhatIsScheduledForThisVeryPassIsAMemberToo) {
  int runs = 0;
  group_.schedule_after(1ms, [&] { group_.schedule_at_fixed_rate(0ms, 10ms, [&] { ++runs; }); });
  poll_at_ms(1);
  EXPECT_EQ(runs, 1);
  group_.cancel_all();
  poll_at_ms(2);
  EXPECT_EQ(group_.pending(), 0u);
  poll_at_ms(50);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace detent
