// SPDX-License-Identifier: MIT
// The substitute for a heavy fence where the kernel has none.
#include <detent/base/atomic.hpp>

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

void waiting_fence() noexcept {
  full_fence();  // (4) pairs with light_fence(), with the wait and with (5)
  const std::int64_t until = monotonic_now() + long_enough;
  const atomic<std::uint32_t> nobody_wakes{0};
  while (monotonic_now() < until) futex_wait(nobody_wakes, 0, until);
  full_fence();  // (5) as (4)
}

}  // namespace detent::base
