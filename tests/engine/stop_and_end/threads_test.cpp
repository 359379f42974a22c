// SPDX-License-Identifier: MIT
// stop() among other threads: callbacks that run, other stops, producers.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/platform/asleep.hpp"
#include "support/waited_for.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::census;
using testing::eventually;

TEST(EngineStopThreads, WaitsForTheRunningCallback) {
  engine e;
  testing::waited_for running;
  running.start(e);
  EXPECT_TRUE(e.stop().empty());
  EXPECT_TRUE(running.ended);
}

TEST(EngineStopThreads, WaitsForARunningCallbackAndReturnsWhatItReArmed) {
  engine e({.executor = std::make_shared<thread_pool>()});
  std::atomic<bool> inside{false};
  timer t = e.schedule_after(0s, [&](firing& now) {
    inside = true;
    eventually([&] { return e.stopped(); });
    now.rearm_after(1h);
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  std::vector<unfired_timer> left = e.stop();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].handle, t);
}

TEST(EngineStopThreads, WaitsForAPollOnAnotherThread) {
  manual_clock clk;
  engine e({.manual = &clk});
  std::atomic<bool> inside{false};
  bool ended = false;
  e.schedule_after(0s, [&] {
    inside = true;
    EXPECT_TRUE(eventually([&] { return e.stopped(); }));
    std::this_thread::sleep_for(5ms);  // it yields, which nobody can see: time for a stop that does not wait
    ended = true;
  });
  e.schedule_after(0s, [&] { ADD_FAILURE() << "it ran though the engine was stopped"; });
  testing::joined_thread poller([&] { e.poll(); });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  EXPECT_EQ(e.stop().size(), 1u);
  EXPECT_TRUE(ended);
}

TEST(EngineStopThreads, ReturnsEverythingToExactlyOneOfSeveralCallers) {
  for (int round = 0; round < 20; ++round) {
    engine e;
    for (int i = 0; i < 100; ++i) e.schedule_after(1h, [] {});
    std::atomic<int> with_something{0};
    std::atomic<std::size_t> total{0};
    {
      std::vector<testing::joined_thread> stoppers;
      for (int s = 0; s < 3; ++s) {
        stoppers.emplace_back([&] {
          std::size_t mine = e.stop().size();
          if (mine != 0) with_something.fetch_add(1);
          total.fetch_add(mine);
        });
      }
    }
    ASSERT_EQ(with_something.load(), 1);
    ASSERT_EQ(total.load(), 100u);
  }
}

TEST(EngineStopThreads, LetsALaterCallWaitForTheFirst) {
  engine e;
  std::atomic<bool> inside{false};
  drive::sleeper comes_later;
  bool ended = false;
  e.schedule_after(0s, [&] {
    inside = true;
    EXPECT_TRUE(comes_later.sleeps());
    ended = true;
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  testing::joined_thread first([&] { e.stop(); });
  ASSERT_TRUE(eventually([&] { return e.stopped(); }));
  comes_later.lies_down();
  EXPECT_TRUE(e.stop().empty());
  EXPECT_TRUE(ended);
}

// Ids are used again once their threads have ended.
TEST(EngineStopThreads, TakesNoLaterThreadForItsWorker) {
  engine e;
  std::thread::id worker;
  std::atomic<bool> reported{false};
  e.schedule_after(0s, [&] {
    worker = std::this_thread::get_id();
    reported = true;
  });
  ASSERT_TRUE(eventually([&] { return reported.load(); }));
  e.stop();
  failure problem;
  bool met = false;
  for (int tries = 0; tries < 100 && !met; ++tries) {
    std::thread([&] {
      met = std::this_thread::get_id() == worker;
      if (met) e.try_stop(problem);
    }).join();
  }
  if (!met) GTEST_SKIP() << "no thread got the worker's id";
  EXPECT_FALSE(problem) << problem.message();
}

// Whatever was scheduled for a producer has run, or comes back; the rest was refused.
TEST(EngineStopThreads, LosesNothingThatIsScheduledMeanwhile) {
  for (int round = 0; round < 10; ++round) {
    engine e({.reserve = 4096});
    census callables;
    std::atomic<std::size_t> accepted{0}, ran{0};
    std::atomic<bool> started{false};
    std::size_t returned = 0;
    {
      std::vector<testing::joined_thread> producers;
      for (int p = 0; p < 2; ++p) {
        producers.emplace_back([&] {
          while (e.try_schedule_after(20us, [&ran, here = callables.join()] { ran.fetch_add(1); })) {
            accepted.fetch_add(1);
            started = true;
          }
        });
      }
      ASSERT_TRUE(eventually([&] { return started.load(); }));
      std::vector<unfired_timer> left = e.stop();
      returned = left.size();
    }
    ASSERT_EQ(e.pending(), 0u);
    ASSERT_EQ(accepted.load(), ran.load() + returned);
    ASSERT_EQ(callables.living(), 0);
  }
}

}  // namespace
}  // namespace detent
