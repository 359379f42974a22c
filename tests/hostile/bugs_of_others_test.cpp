// SPDX-License-Identifier: MIT
// Bugs that bit other timers, where no test of a part of the engine checks for them already.
// docs/evidence/bugs-of-others.md has all of them.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/drive_eventually.hpp"
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

}  // namespace
}  // namespace detent
