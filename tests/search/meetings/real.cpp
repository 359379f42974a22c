// SPDX-License-Identifier: MIT
// Compiled without the hooks, against the engine's own header: the real operations, with their real orders.
#include <detent/base/atomic.hpp>
#include <search/meetings/real.hpp>

namespace hooks::real {
namespace {

namespace base = detent::base;

base::pair_value joined(halves value) noexcept { return {value.low, value.high}; }

}  // namespace

void full_fence() noexcept { base::full_fence(); }
void light_fence() noexcept { base::light_fence(); }
bool heavy_fence() noexcept { return base::heavy_fence(); }
void waiting_fence() noexcept { base::waiting_fence(); }
bool enable_heavy_fence() noexcept { return base::enable_heavy_fence(); }
void cpu_pause() noexcept { base::cpu_pause(); }

void add_alone(void* count, std::uint64_t amount) noexcept {
  base::add_alone(*static_cast<base::atomic<std::uint64_t>*>(count), amount);
}

void add_alone_relaxed(void* count, std::uint64_t amount) noexcept {
  base::add_alone_relaxed(*static_cast<base::atomic<std::uint64_t>*>(count), amount);
}

bool compare_exchange(void* pair, halves expected, halves desired) noexcept {
  return static_cast<base::atomic_pair*>(pair)->compare_exchange(joined(expected), joined(desired));
}

bool compare_exchange_upper(void* pair, std::uint32_t expected, std::uint32_t desired) noexcept {
  return static_cast<base::atomic_pair*>(pair)->compare_exchange_upper(expected, desired);
}

std::uint8_t futex_wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept {
  auto& real = *static_cast<const base::atomic<std::uint32_t>*>(word);
  return static_cast<std::uint8_t>(base::futex_wait(real, expected, deadline_ns));
}

void futex_wake(void* word, int waiters) noexcept {
  base::futex_wake(*static_cast<base::atomic<std::uint32_t>*>(word), waiters);
}

}  // namespace hooks::real
