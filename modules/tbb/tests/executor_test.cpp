// SPDX-License-Identifier: MIT
// Callbacks as tasks of oneTBB.
#include <detent/detent.hpp>
#include <detent/tbb.hpp>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/fired_timers.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using drive::ids;
using oneapi::tbb::task_arena;
using oneapi::tbb::task_group;

TEST(TbbExecutor, RunsEachTimerOnceOnAThreadOfItsArena) {
  task_arena arena(2, 0);
  std::vector<std::atomic<int>> runs(1000);
  std::atomic<int> done{0}, elsewhere{0};
  engine worker({.executor = tbb_executor(arena)});
  const time_point due = clock::now() + 2ms;
  for (auto& mine : runs) {
    worker.schedule_at(due, [&] {
      ++mine;
      elsewhere += oneapi::tbb::this_task_arena::max_concurrency() == 2 ? 0 : 1;
      ++done;
    });
  }
  EXPECT_TRUE(eventually([&] { return done == 1000; }));
  worker.stop();
  for (auto& mine : runs) EXPECT_EQ(mine.load(), 1);
  EXPECT_EQ(elsewhere, 0);
}

TEST(TbbExecutor, LeavesATimerCancellableDuringASlowCallback) {
  task_arena arena(1, 0);
  std::atomic<bool> entered{false}, release{false};
  std::atomic<int> done{0};
  engine worker({.executor = tbb_executor(arena)});
  worker.schedule_after(0ns, [&] {
    entered = true;
    EXPECT_TRUE(eventually([&] { return release.load(); }));
  });
  EXPECT_TRUE(eventually([&] { return entered.load(); }));
  timer waiting = worker.schedule_after(0ns, [&] { ++done; });
  EXPECT_EQ(waiting.cancel(), cancel_result::cancelled);
  release = true;
  worker.stop();
  EXPECT_EQ(done, 0);
}

TEST(TbbExecutor, MakesOneTaskOfABatchWhereAsked) {
  for (std::size_t at_once : {0u, 1u, 7u, 100u}) {
    task_arena arena(1, 0);  // one thread: tasks run one after the other
    ids ran, expected(100);
    std::iota(expected.begin(), expected.end(), 0);
    std::atomic<int> done{0};
    testing::fired_timers due(100, [&](int id) {
      ran.push_back(id);
      ++done;
    });
    EXPECT_EQ(tbb_executor(arena, at_once)->execute_many(due.work), 100u);
    EXPECT_TRUE(eventually([&] { return done == 100; }));
    if (at_once == 100) {
      EXPECT_EQ(ran, expected);
    }
  }
}

TEST(TbbExecutor, OfAGroupIsWaitedForByTheGroup) {
  task_group group;
  std::atomic<int> done{0};
  testing::fired_timers due(100, [&](int) {
    std::this_thread::sleep_for(10us);  // so that the group has some to wait for; right either way
    ++done;
  });
  std::span<fired_timer> work(due.work);
  EXPECT_EQ(tbb_executor(group, 3)->execute_many(work.first(50)), 50u);
  EXPECT_EQ(tbb_executor(group, 0)->execute_many(work.last(50)), 50u);
  group.wait();
  EXPECT_EQ(done, 100);
}

// It gives an arena that something was enqueued to a thread all the same.
TEST(TbbExecutor, OfAGroupRunsTimersWhereTbbMayHaveNoThreads) {
  const oneapi::tbb::global_control none(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  task_group group;
  std::atomic<int> done{0};
  {
    engine worker({.executor = tbb_executor(group)});
    for (int i = 0; i < 10; ++i) worker.schedule_after(0ns, [&] { ++done; });
    EXPECT_TRUE(eventually([&] { return done == 10; }));
  }
  group.wait();
}

TEST(TbbExecutor, DropsWhatACancelledGroupNeverRuns) {
  task_group group;
  std::atomic<bool> release{false};
  std::atomic<int> done{0};
  testing::fired_timers due(50, [&](int id) {
    if (id == 0) {
      EXPECT_TRUE(eventually([&] { return release.load(); }));
    }
    ++done;
  });
  {
    auto tasks = tbb_executor(group);
    EXPECT_EQ(tasks->execute_many(due.work), 50u);
    group.cancel();
    release = true;
    group.wait();
  }
  EXPECT_EQ(due.rig.engine.metrics().dropped + static_cast<std::uint64_t>(done), 50u);
  EXPECT_EQ(due.rig.engine.pending(), 0u);
}

}  // namespace
}  // namespace detent
