// SPDX-License-Identifier: MIT
// The operations of the engine's own base/atomic.hpp, under names that a program compiled against the hooks can call.
#pragma once

#include <cstdint>

namespace hooks::real {

void full_fence() noexcept;
void light_fence() noexcept;
bool heavy_fence() noexcept;
void waiting_fence() noexcept;
bool enable_heavy_fence() noexcept;
void cpu_pause() noexcept;
void add_alone(void* count, std::uint64_t amount) noexcept;
void add_alone_relaxed(void* count, std::uint64_t amount) noexcept;

struct halves {
  std::uint64_t low, high;
};
// `pair`: an atomic_pair.
bool compare_exchange(void* pair, halves expected, halves desired) noexcept;
bool compare_exchange_upper(void* pair, std::uint32_t expected, std::uint32_t desired) noexcept;

// `word`: an atomic<std::uint32_t>. Returns the number of the futex_result.
std::uint8_t futex_wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept;
void futex_wake(void* word, int waiters) noexcept;

}  // namespace hooks::real
