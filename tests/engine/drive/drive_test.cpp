// SPDX-License-Identifier: MIT
// The threads that may and must not drive an engine, and the events that wake a sleeping worker.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/meeting.hpp"
#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using drive::ids;
using drive::problem_of;

TEST(EngineDrive, RefusesACallersDriveOfAWorkerDrivenEngineWhichGoesOn) {
  engine worker;
  EXPECT_EQ(problem_of([&] { worker.poll(); }).code, errc::wrong_drive);
  EXPECT_EQ(problem_of([&] { worker.next_deadline(); }).code, errc::wrong_drive);
  EXPECT_EQ(problem_of([&] { worker.wake_fd(); }).code, errc::wrong_drive);
  std::atomic<bool> fired{false};
  worker.schedule_after(0ns, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

// A caller that never asked for the wake_fd sleeps by its own means.
TEST(EngineDrive, IsNotRungWhereNobodyListens) {
  engine caller({.drive = drive_kind::caller});
  for (int i = 0; i < 3; ++i) {
    caller.schedule_after(1h - 1min * i, [] {});
    std::thread([&] { caller.schedule_after(0ns, [] {}); }).join();
    caller.poll();
  }
  EXPECT_EQ(caller.metrics().rings, 0u);
}

TEST(EngineDrive, RefusesASecondThreadInsidePoll) {
  drive::virtual_engine rig;
  drive::problem polled, asked, opened;
  rig.engine.schedule_at(at(10), [&] {
    std::thread([&] {
      polled = problem_of([&] { rig.engine.poll(); });
      asked = problem_of([&] { rig.engine.next_deadline(); });
      opened = problem_of([&] { rig.engine.wake_fd(); });
    }).join();
  });
  EXPECT_EQ(rig.poll_at(at(10)), 1u);
  for (const drive::problem& each : {polled, asked, opened}) EXPECT_EQ(each.code, errc::not_permitted) << each.what;
}

TEST(EngineDrive, LetsACallbackPollAnotherEngine) {
  drive::virtual_engine outer, inner;
  inner.engine.schedule_at(at(0), inner.note(1));
  outer.engine.schedule_at(at(0), [&] { EXPECT_EQ(inner.engine.poll(), 1u); });
  EXPECT_EQ(outer.engine.poll(), 1u);
  EXPECT_EQ(inner.fired, ids{1});
}

TEST(EngineDrive, FiresEachTimerOnceWhileThreadsFightForTheirTurn) {
  engine caller({.drive = drive_kind::caller});
  constexpr int timers = 2000;
  std::vector<std::atomic<int>> runs(timers);
  for (auto& each : runs) caller.schedule_after(0ns, [&each] { each.fetch_add(1); });
  std::atomic<int> fired{0};
  test::meeting together(2);
  auto fight = [&] {
    together.arrive_and_wait();
    while (fired.load() < timers) {
      try {
        fired.fetch_add(static_cast<int>(caller.poll(7)));
      } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::not_permitted);
      }
    }
  };
  std::thread other(fight);
  fight();
  other.join();
  for (auto& each : runs) EXPECT_EQ(each.load(), 1);
}

TEST(EngineDrive, WakesAWorkerThatSleepsTowardsALaterDeadline) {
  for (wait_options wait : {wait_options::sleep(), wait_options::hybrid(), wait_options::busy()}) {
    engine worker({.name = "far-away", .wait = wait});
    std::atomic<bool> fired{false};
    worker.schedule_after(1h, [] {});
    if (wait.mode == wait_options::kind::busy) {
      ASSERT_TRUE(eventually([&] { return worker.metrics().backlog == 0; }));
    } else {
      ASSERT_TRUE(drive::thread_sleeps("far-away"));
    }
    worker.schedule_after(1ms, [&] { fired = true; });
    EXPECT_TRUE(eventually([&] { return fired.load(); }));
  }
}

TEST(EngineDrive, WakesAWorkerForAReArmOnAPoolThread) {
  engine worker({.wait = wait_options::sleep(), .executor = std::make_shared<thread_pool>()});
  std::atomic<int> runs{0};
  worker.schedule_after(1h, [] {});
  worker.schedule_after(0ns, [&](firing& f) {
    if (++runs < 3) f.rearm_after(1ms);
  });
  EXPECT_TRUE(eventually([&] { return runs.load() == 3; }));
}

TEST(EngineDrive, WakesAWorkerThatHasLongBeenEmpty) {
  engine worker({.name = "empty", .wait = wait_options::sleep()});
  ASSERT_TRUE(drive::thread_sleeps("empty"));
  std::atomic<bool> fired{false};
  worker.schedule_after(0ns, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

TEST(EngineDrive, LetsOthersRunBesideATimerThatReArmsWithoutEnd) {
  engine worker;
  std::atomic<bool> fired{false};
  worker.schedule_after(0ns, [](firing& f) { f.rearm_after(0ns); });
  worker.schedule_after(2ms, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
  EXPECT_EQ(worker.stop().size(), 1u);  // and stop() gets through
}

TEST(EngineDrive, LosesNoWakeUpBetweenProducersAndAWorkerThatFallsAsleep) {
  engine worker({.wait = wait_options::sleep()});
  std::atomic<int> fired{0};
  constexpr int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    worker.schedule_after(0ns, [&] { fired.fetch_add(1); });
    if (round % 3 != 0) continue;
    ASSERT_TRUE(eventually([&] { return fired.load() == round + 1; })) << "round " << round;
  }
  EXPECT_TRUE(eventually([&] { return fired.load() == rounds; }));
}

}  // namespace
}  // namespace detent
