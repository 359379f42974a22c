// SPDX-License-Identifier: MIT
// Groups on a worker: a million members reclaimed in passing, and a worker that sleeps is woken.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/engine_instant.hpp"
#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::census;
using testing::eventually;
using testing::settle;

TEST(TimerGroupWorker, AMillionCancelledAreReclaimedWithinTenWakeUps) {
  constexpr std::size_t many = 1'000'000;
  engine e({.wait = wait_options::sleep()});
  timer_group group(e);
  for (std::size_t i = 0; i < many; ++i) group.schedule_after(1h + duration(i), [] {});
  ASSERT_TRUE(settle(e));
  const std::uint64_t before = e.metrics().wakeups;
  group.cancel_all();
  ASSERT_TRUE(eventually([&] { return e.pending() == 0; }));
  EXPECT_LE(e.metrics().wakeups - before, 10u);
  EXPECT_EQ(group.pending(), 0u);
  EXPECT_EQ(e.metrics().cancelled, many);
}

TEST(TimerGroupWorker, ASleepingWorkerIsWokenForEach) {
  engine e({.wait = wait_options::sleep()});
  timer_group group(e);
  census captures;
  std::atomic<int> runs{0};
  for (int round = 0; round < 50; ++round) {
    group.schedule_after(1h, [here = captures.join()] {});
    EXPECT_TRUE(round % 2 != 0 || settle(e));
    group.cancel_all();
    ASSERT_TRUE(eventually([&] { return captures.living() == 0; }));
    group.pause();
    group.schedule_after(1us, [&] { runs.fetch_add(1); });
    EXPECT_TRUE(round % 2 != 0 || settle(e));
    group.resume();
    ASSERT_TRUE(eventually([&] { return runs == round + 1; }));
  }
}

TEST(TimerGroupWorker, ASleepingWorkerIsWokenWhenMostHaveLeft) {
  engine e({.wait = wait_options::sleep()});
  timer_group group(e);
  std::vector<timer> members;
  for (int i = 0; i < 400; ++i) members.push_back(group.schedule_after(1h, [] {}));
  ASSERT_TRUE(settle(e));
  const std::uint64_t before = e.metrics().drained;
  for (timer& each : members) EXPECT_EQ(each.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(eventually([&] { return e.metrics().drained >= before + 300; }));
}

TEST(TimerGroupWorker, TheEndWaitsForARunningMember) {
  for (const std::size_t threads : {0u, 2u}) {
    engine_options options;
    if (threads != 0) options.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = threads});
    engine e(std::move(options));
    for (int i = 0; i < 100; ++i) {
      std::atomic<int> inside{0}, entered{0};
      {
        timer_group group(e);
        for (int n = 0; n < 3; ++n) {
          group.schedule_at_fixed_rate(0ns, 1us, [&] {
            inside.fetch_add(1);
            entered.fetch_add(1);
            std::this_thread::yield();
            inside.fetch_sub(1);
          });
        }
        ASSERT_TRUE(eventually([&] { return entered > i % 3; }));
      }
      ASSERT_EQ(inside, 0);
      const int seen = entered;
      std::this_thread::yield();
      ASSERT_EQ(entered, seen);
    }
  }
}

// Two callbacks run on two threads: a member, and one that cancels its group and so must wait for the member.
class waited_for_member {
 public:
  void run() {
    runs_ = true;
    slept_ = waiter_.sleeps();
    ended_ = true;
  }
  void cancel_all_and_wait(timer_group& group) {
    while (!runs_) std::this_thread::yield();
    waiter_.lies_down();
    group.cancel_all_and_wait();
    ended_before_ = ended_.load();
    returned_ = true;
  }
  bool both_ended() const { return ended_ && returned_; }
  void expect_waited() const {
    EXPECT_TRUE(slept_);
    EXPECT_TRUE(ended_before_);
  }

 private:
  drive::sleeper waiter_;
  std::atomic<bool> runs_{false}, slept_{false}, ended_{false}, ended_before_{false}, returned_{false};
};

// The call does not wait for runs of its own thread; a run of another group is none of these.
TEST(TimerGroupWorker, AMemberOfAnotherGroupWaitsForTheRunningOnes) {
  engine e({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  timer_group group(e), other(e);
  waited_for_member member;
  group.schedule_after(0ns, [&] { member.run(); });
  other.schedule_after(0ns, [&] { member.cancel_all_and_wait(group); });
  EXPECT_TRUE(eventually([&] { return member.both_ended(); }));
  member.expect_waited();
}

// Nor is a plain timer's run, though its place was a member's.
TEST(TimerGroupWorker, APlainTimerInAMembersPlaceWaitsForTheRunningOnes) {
  auto holding = std::make_shared<testing::holding_executor>();
  drive::virtual_engine rig({.executor = holding});
  timer_group group(rig.engine);
  const timer ended = group.schedule_after(0ns, [] {});
  rig.engine.poll();
  holding->run_all();
  waited_for_member member;
  const timer plain = rig.engine.schedule_after(0ns, [&] { member.cancel_all_and_wait(group); });
  ASSERT_TRUE(drive::in_one_place(plain, ended));
  group.schedule_after(0ns, [&] { member.run(); });
  rig.engine.poll();
  ASSERT_EQ(holding->held.size(), 2u);
  std::thread other(std::move(holding->held.back()));
  holding->run_first();
  other.join();
  member.expect_waited();
}

// The timer that a dying capture schedules comes before the ends of most other members.
TEST(TimerGroupWorker, WhatIsDueComesBetweenTheMembersOfALargeGroup) {
  engine e({.wait = wait_options::sleep()});
  timer_group group(e);
  census captures;
  std::promise<int> ended_meanwhile;
  group.schedule_after(
      1h, testing::at_end([&] {
        e.schedule_after(0ns, [&, before = captures.ended()] { ended_meanwhile.set_value(captures.ended() - before); });
      }));
  for (int i = 0; i < 100'000; ++i) group.schedule_after(1h, [here = captures.join()] {});
  ASSERT_TRUE(settle(e));
  group.cancel_all();
  EXPECT_LE(ended_meanwhile.get_future().get(), 10'000);
  EXPECT_TRUE(eventually([&] { return captures.living() == 0; }));
}

TEST(TimerGroupWorker, EndsOnTheWorkerWithItsEngine) {
  for (int i = 0; i < 50; ++i) {
    std::promise<void> done;
    std::atomic<bool> scheduled{false};  // no call of another thread may meet the engine's end
    auto e = std::make_unique<engine>();
    auto group = std::make_unique<timer_group>(*e);
    group->schedule_after(1h, [] {});
    group->schedule_after(1us, [&] {
      while (!scheduled) std::this_thread::yield();
      if (i % 2 == 0) group.reset();
      e.reset();
      group.reset();
      done.set_value();
    });
    scheduled = true;
    done.get_future().wait();
  }
}

}  // namespace
}  // namespace detent
