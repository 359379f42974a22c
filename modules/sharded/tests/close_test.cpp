// SPDX-License-Identifier: MIT
// engine::close(): no more timers are taken, and pending ones continue.
#include <detent/detent.hpp>
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;
using testing::eventually;

TEST(EngineClose, RefusesWhateverSchedules) {
  manual_clock clk;
  engine e({.name = "shut", .manual = &clk});
  timer_group group(e);
  e.schedule_after(1s, [] {}).cancel();  // from here on, this thread uses the short way to the engine
  e.close();
  e.close();
  EXPECT_EQ(e.try_schedule_after(1s, [] {}).error(), make_error_code(errc::stopped));
  EXPECT_EQ(e.try_schedule_at_fixed_rate(1s, 1s, [] {}).error(), make_error_code(errc::stopped));
  EXPECT_EQ(group.try_schedule_after(1s, [] {}).error(), make_error_code(errc::stopped));
  std::array<time_point, 3> deadlines{};
  std::array<timer, 3> handles;
  EXPECT_EQ(problem_of([&] {
              e.schedule_at_bulk(
                  deadlines, [](std::size_t) {}, handles);
            }).code,
            errc::stopped);
  const drive::problem refused = problem_of([&] { e.schedule_after(1s, [] {}); });
  EXPECT_EQ(refused.code, errc::stopped);
  EXPECT_TRUE(refused.names("engine \"shut\": it is closed")) << refused.what;
  EXPECT_EQ(e.pending(), 0u);
  EXPECT_FALSE(e.stopped());
  EXPECT_TRUE(e.stop().empty());
  EXPECT_TRUE(problem_of([&] { e.schedule_after(1s, [] {}); }).names("it is stopped"));
}

TEST(EngineClose, LeavesWhatIsPendingAsItWas) {
  manual_clock clk;
  engine e({.manual = &clk});
  int once = 0, periods = 0, moved = 0;
  e.schedule_after(1s, [&] { ++once; });
  timer restarted = e.schedule_after(1h, [&] { ++moved; });
  timer cancelled = e.schedule_after(1s, [&] { ++once; });
  timer periodic = e.schedule_at_fixed_rate(1s, 1s, [&] { ++periods; });
  e.close();
  EXPECT_TRUE(restarted.restart_after(2s));
  EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
  for (int i = 0; i < 3; ++i) {
    clk.advance(1s);
    e.poll();
  }
  EXPECT_EQ(once, 1);
  EXPECT_EQ(moved, 1);
  EXPECT_EQ(periods, 3);
  const std::vector<unfired_timer> left = e.stop();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].handle, periodic);
}

TEST(EngineClose, OfASetClosesEveryShardAndLeavesWhatIsPending) {
  manual_clock clk;
  sharded_engine set({.shards = 3, .each = {.manual = &clk}});
  std::size_t fired = 0;
  for (engine& each : set) each.schedule_after(1s, [&] { ++fired; });
  set.close();
  for (engine& each : set) EXPECT_EQ(each.try_schedule_after(1s, [] {}).error(), make_error_code(errc::stopped));
  EXPECT_FALSE(set.stopped());
  clk.advance(1s);
  for (engine& each : set) each.poll();
  EXPECT_EQ(fired, set.size());
  EXPECT_TRUE(set.stop().empty());
}

TEST(EngineClose, MayBeCalledFromACallbackAndEndsAWorkersTimersInTime) {
  engine e;
  std::atomic<int> refused{0};
  std::atomic<bool> later{false};
  e.schedule_after(20ms, [&] { later = true; });
  e.schedule_after(0ms, [&] {
    e.close();
    refused += e.try_schedule_after(0ms, [] {}).error() == make_error_code(errc::stopped);
  });
  EXPECT_NE(e.worker_thread_id(), 0);
  EXPECT_TRUE(eventually([&] { return later && refused == 1; }));
  EXPECT_TRUE(e.drain_for(1h).empty());
}

// Timers that come while the engine closes either fire or are refused.
TEST(EngineClose, LosesNoTimerOfThreadsThatScheduleMeanwhile) {
  for (int round = 0; round < 100; ++round) {
    engine e({.reserve = 4096});
    std::atomic<int> taken{0}, fired{0}, ready{0};
    const auto produce = [&] {
      ++ready;
      while (e.try_schedule_after(0ms, [&] { ++fired; })) ++taken;
    };
    std::thread one(produce), other(produce);
    while (ready != 2) std::this_thread::yield();
    e.close();
    one.join();
    other.join();
    EXPECT_TRUE(eventually([&] { return e.pending() == 0; }));
    EXPECT_TRUE(e.stop().empty());
    EXPECT_EQ(fired, taken);
  }
}

}  // namespace
}  // namespace detent
