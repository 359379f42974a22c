// SPDX-License-Identifier: MIT
// Bugs that bit other timers, where no test of a part of the engine checks for them already.
// docs/evidence/bugs-of-others.md has all of them.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/platform/asleep.hpp"
#include "support/platform/process.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

// A stop that comes at any moment of the worker's life ends it.
TEST(BugsOfOthers, AStopIsNeverLostWheneverItComes) {
  test::random_source random(20'261);
  for (int round = 0; round < 1'500; ++round) {
    engine e({.wait = random.between(0, 1) == 0 ? wait_options::sleep() : wait_options::hybrid(), .reserve = 0});
    timer far = e.schedule_after(1h, [] {});
    if (random.between(0, 1) == 0) e.schedule_after(duration(random.between(0, 50'000)), [] {});
    for (int spin = random.between(0, 2'000); spin > 0; --spin) std::atomic_signal_fence(std::memory_order_seq_cst);
    std::thread canceller([&] { far.cancel(); });
    e.stop();
    canceller.join();
    ASSERT_TRUE(e.stopped()) << "round " << round;
  }
}

// The share of a processor that an engine's worker uses in a tenth of a second in which nothing is due.
double idle_share(engine_options options) {
  options.name = "idle-worker";
  const bool sleeps = options.wait.mode != wait_options::kind::busy;
  engine e(std::move(options));
  e.schedule_after(1h, [] {});
  EXPECT_TRUE(eventually([] { return drive::thread_folder("idle-worker").has_value(); }));
  EXPECT_TRUE(!sleeps || drive::thread_sleeps("idle-worker"));
  const std::uint64_t before = drive::processor_time("idle-worker");
  const auto began = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(100ms);
  const std::uint64_t after = drive::processor_time("idle-worker");
  const auto span = std::chrono::duration_cast<duration>(std::chrono::steady_clock::now() - began);
  return static_cast<double>(after - before) / static_cast<double>(span.count());
}

// A sleep that rounds to nothing would be a loop: all of a processor, where this takes a thousandth.
TEST(BugsOfOthers, AnIdleWorkerSleepsWhateverItsTick) {
  for (const duration tick : {duration(1ns), duration(1us), duration(900us), duration(1ms), duration(10ms)}) {
    EXPECT_LT(idle_share({.tick = tick, .wait = wait_options::sleep()}), 0.05) << tick.count();
  }
}

TEST(BugsOfOthers, AnIdleWorkerSleepsByDefault) {
  EXPECT_LT(idle_share({}), 0.05);
  EXPECT_TRUE(eventually([] { return idle_share({.wait = wait_options::busy()}) > 0.0; }))
      << "the measurement sees nothing";
}

TEST(BugsOfOthers, ACancelByAnotherThreadBeforeTheTimerWasAcceptedWins) {
  manual_clock clock;
  engine e({.manual = &clock});
  int fired = 0;
  std::vector<timer> timers;
  for (int i = 0; i < 1'000; ++i) timers.push_back(e.schedule_after(1ns, [&fired] { ++fired; }));
  std::thread([&] {
    for (timer& each : timers) EXPECT_EQ(each.cancel(), cancel_result::cancelled);
  }).join();
  clock.advance(1s);
  EXPECT_EQ(e.poll(), 0u);
  EXPECT_EQ(fired, 0);
  EXPECT_EQ(e.metrics().cancelled, 1'000u);
  EXPECT_EQ(e.metrics().pending, 0u);
}

TEST(BugsOfOthers, CancelAndWaitLeavesNoRunOfAPeriodicTimerBehind) {
  for (const bool on_a_pool : {false, true}) {
    engine e({.executor = on_a_pool ? std::make_shared<thread_pool>(thread_pool_options{.threads = 2})
                                    : std::shared_ptr<thread_pool>()});
    for (int round = 0; round < 100; ++round) {
      std::atomic<bool> inside{false}, ran{false};
      timer fast = e.schedule_at_fixed_rate(0ns, 1us, [&] {
        inside = true;
        ran = true;
        inside = false;
      });
      if (round % 2 == 0) {
        ASSERT_TRUE(eventually([&] { return ran.load(); }));
      }
      fast.cancel_and_wait();
      ran = false;
      ASSERT_FALSE(inside);
      std::this_thread::yield();
      ASSERT_FALSE(ran) << "round " << round;
    }
  }
}

// cancel_and_wait() there would be a deadlock of the caller's making; cancel() is for that.
TEST(BugsOfOthers, ACancelUnderALockThatTheCallbackNeedsReturnsAtOnce) {
  engine e;
  std::mutex lock;
  std::atomic<bool> inside{false}, done{false};
  std::unique_lock held(lock);
  timer waits = e.schedule_after(0ns, [&] {
    inside = true;
    std::lock_guard wants(lock);
    done = true;
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  EXPECT_EQ(waits.cancel(), cancel_result::running);
  EXPECT_FALSE(done);
  held.unlock();
  EXPECT_NE(waits.cancel_and_wait(), cancel_result::cancelled);
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace detent
