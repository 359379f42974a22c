// SPDX-License-Identifier: MIT
// The allocations of a hand-over to a pool.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <thread>

#include "support/drive_allocations.hpp"
#include "support/drive_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

// By a worker, some hundreds at once. Before that, each thread of the pool has run one, as its first callback gets it a
// record, and twice as many have waited in the queue, as it grows with what waits at once.
TEST(ThreadPoolMemory, AHundredThousandTimersAllocateNothing) {
  constexpr std::size_t at_once = 500, timers = 100'000;
  const auto pool = std::make_shared<thread_pool>(thread_pool_options{.threads = 2});
  engine e({.executor = pool, .reserve = 4096});
  std::atomic<std::size_t> ran{0};
  const auto run = [&](std::size_t count) {
    for (std::size_t left = count; left != 0;) {
      const std::size_t now = std::min(left, at_once), before = ran;
      for (std::size_t i = 0; i != now; ++i) e.schedule_after(duration(i % 7 * 1'000), [&ran] { ++ran; });
      ASSERT_TRUE(eventually([&] { return ran == before + now; }));
      left -= now;
    }
  };
  std::latch threads_and_test(3);
  for (int i = 0; i != 2; ++i) e.schedule_after(0ns, [&] { threads_and_test.arrive_and_wait(); });
  for (std::size_t i = 0; i != 2 * at_once; ++i) e.schedule_after(0ns, [&ran] { ++ran; });
  ASSERT_TRUE(eventually([&] { return pool->queued() == 2 * at_once; }));
  threads_and_test.arrive_and_wait();
  ASSERT_TRUE(eventually([&] { return ran == 2 * at_once; }));
  run(10 * at_once);
  const std::uint64_t before = drive::allocations();
  run(timers);
  EXPECT_EQ(drive::allocations() - before, 0u);
}

// Each hands over, and would keep some kilobytes in the pool if it were not for the next.
TEST(ThreadPoolMemory, StaysWhatItIsThoughThreadsThatHandOverComeAndGo) {
  manual_clock clock;
  engine e({.manual = &clock, .executor = std::make_shared<thread_pool>(), .reserve = 4096});
  const auto hand_over_by = [&](int threads) {
    while (threads-- != 0) {
      e.schedule_after(0ns, [] {});
      std::thread([&] { e.poll(); }).join();
    }
    EXPECT_TRUE(eventually([&] { return e.pending() == 0; }));
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const std::size_t before = hand_over_by(20);
  EXPECT_LE(hand_over_by(500), before + 100'000);
}

}  // namespace
}  // namespace detent
