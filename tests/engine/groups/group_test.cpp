// SPDX-License-Identifier: MIT
// The effects of cancel_all on a group's members, and what it leaves alone.
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

class TimerGroup : public drive::groups_in_virtual_time {
 protected:
  timer_group group_{engine_};
};

TEST_F(TimerGroup, NoMemberStartsAfterACancelInTheSamePass) {
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

TEST_F(TimerGroup, RefusesAPeriodThatIsNone) {
  EXPECT_EQ(drive::problem_of([&] { group_.schedule_at_fixed_rate(1ms, 0ms, [] {}); }).code,
            make_error_code(errc::invalid_period));
  EXPECT_EQ(group_.pending(), 0u);
}

TEST_F(TimerGroup, ACancelThatWaitsInsideAMemberReturns) {
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

TEST_F(TimerGroup, ACancelThatWaitsInsideAnExecutorOnTheDriverReturns) {
  for (const bool refuse : {false, true}) {  // run by the executor at once, or by the engine as it refuses
    auto moody = std::make_shared<moody_executor>();
    moody->refuse = refuse;
    drive::virtual_engine rig({.executor = moody});
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
TEST_F(TimerGroup, ACancelThatWaitsInsideAMemberThatAnotherOneRunsReturns) {
  auto holding = std::make_shared<holding_executor>();
  drive::virtual_engine rig({.executor = holding});
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

// Submitted and cancelled while the driver scans another group: its scan of this one finds no member inserted.
TEST_F(TimerGroup, WhatIsInsertedWhenItHasBeenCancelledIsReclaimedAtOnce) {
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

}  // namespace
}  // namespace detent
