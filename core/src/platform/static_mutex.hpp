// SPDX-License-Identifier: MIT
// A mutex of static storage duration that exists before any code runs, and stays.
#pragma once

#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <mutex>
#else
#include <detent/base/atomic.hpp>

#include <cstdint>
#endif

namespace detent::detail {

#if defined(DETENT_GROUND_LINUX)
using static_mutex = std::mutex;
#else
// Not every library's std::mutex has a constexpr constructor. This mutex is the one of Drepper's "Futexes are tricky".
class static_mutex {
 public:
  constexpr static_mutex() noexcept = default;
  void lock() noexcept {
    std::uint32_t found = unlocked;
    // (1) acquire: pairs with (2). relaxed on failure: the value is not used.
    if (state_.compare_exchange_strong(found, locked, base::acquire, base::relaxed)) return;
    while (state_.exchange(awaited, base::acquire) != unlocked) base::futex_wait(state_, awaited, INT64_MAX);  // (1)
  }
  void unlock() noexcept {
    if (state_.exchange(unlocked, base::release) == awaited)
      base::futex_wake(state_, 1);  // (2) release: pairs with (1)
  }

 private:
  static constexpr std::uint32_t unlocked = 0, locked = 1, awaited = 2;
  base::atomic<std::uint32_t> state_{unlocked};
};
#endif

}  // namespace detent::detail
