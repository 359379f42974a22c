// SPDX-License-Identifier: MIT
// The two fences that stand for a full one on each side of a pair, and the light one beside them.
#include <detent/base/atomic.hpp>

#include <gtest/gtest.h>

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>

#include "platform/thread_setup.hpp"

namespace detent::base {
namespace {

bool kernel_has_heavy_fence() {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
}

TEST(HeavyFence, IsThereWhereTheKernelHasIt) { EXPECT_EQ(enable_heavy_fence(), kernel_has_heavy_fence()); }

std::int64_t nanoseconds_from_now(std::int64_t delay) {
  return std::chrono::steady_clock::now().time_since_epoch().count() + delay;
}

// Each thread on a processor of its own, if there are two: on one they never meet.
void part_from_others(std::size_t number) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::size_t cpu = 0;
  while (cpu < CPU_SETSIZE && (!CPU_ISSET(cpu, &allowed) || number-- != 0)) ++cpu;
  detail::pin_thread(pthread_self(), static_cast<int>(cpu));
}

// One of two threads, which begin each round together: both store, and then check whether the other has.
struct alignas(64) store_and_look {
  atomic<std::uint32_t> round{0};
  alignas(64) atomic<std::uint32_t> stored{0};
  std::array<bool, 2> missed{};  // in this round and the last

  template <class Fence>
  void run(std::uint32_t number, const store_and_look& other, Fence fence) {
    round.store(number, release);
    for (int checks = 1; other.round.load(acquire) < number; ++checks)
      checks % 1000 == 0 ? std::this_thread::yield() : cpu_pause();
    stored.store(number, relaxed);
    fence();
    missed.at(number % 2) = other.stored.load(relaxed) < number;
  }
};

template <class Fence>
int missed_by_both(Fence fence) {
  constexpr std::uint32_t end = UINT32_MAX;
  store_and_look light, heavy;
  std::thread one([&] {
    part_from_others(0);
    for (std::uint32_t number = 1; heavy.round.load(acquire) != end; ++number) light.run(number, heavy, light_fence);
  });
  int both = 0;
  std::thread other([&] {
    part_from_others(1);
    const std::int64_t enough = nanoseconds_from_now(500'000'000);  // for machines that are slow or busy
    for (std::uint32_t number = 1; number != 20'000 && nanoseconds_from_now(0) < enough; ++number) {
      heavy.run(number, light, fence);
      const std::size_t last = (number - 1) % 2;  // the other one has checked by now
      if (light.missed.at(last) && heavy.missed.at(last)) ++both;
    }
    heavy.round.store(end, release);
  });
  one.join();
  other.join();
  return both;
}

TEST(HeavyFence, AndALightOneLetNoTwoMissEachOther) {
  if (!kernel_has_heavy_fence()) GTEST_SKIP() << "the kernel has no such fence";
  ASSERT_TRUE(enable_heavy_fence());
  EXPECT_EQ(missed_by_both([] { ASSERT_TRUE(heavy_fence()); }), 0);
}

TEST(WaitingFence, AndALightOneLetNoTwoMissEachOther) { EXPECT_EQ(missed_by_both(waiting_fence), 0); }

}  // namespace
}  // namespace detent::base
