// SPDX-License-Identifier: MIT
// The heavy fence, membarrier(2) for the threads of this process alone, and its substitute where the kernel has none.
#include <detent/base/atomic.hpp>
#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <chrono>
#include <cstdint>

namespace detent::base {
namespace {

// About a thousand times as long as a core needs.
constexpr std::int64_t long_enough = 1'000'000;

std::int64_t monotonic_now() noexcept {
  using std::chrono::nanoseconds;
  return std::chrono::duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

#if defined(DETENT_GROUND_LINUX)
bool heavy_fence() noexcept { return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; }

bool enable_heavy_fence() noexcept {
  // It is cheap after the first time, and is repeated because a forked child may have to register again.
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
#else
// Both sides pay for a fence of their own.
bool heavy_fence() noexcept { return false; }
bool enable_heavy_fence() noexcept { return false; }
#endif

void waiting_fence() noexcept {
  full_fence();  // (4) pairs with light_fence(), with the wait and with (5)
  const std::int64_t until = monotonic_now() + long_enough;
  const atomic<std::uint32_t> nobody_wakes{0};
  while (monotonic_now() < until) futex_wait(nobody_wakes, 0, until);
  full_fence();  // (5) as (4)
}

}  // namespace detent::base
