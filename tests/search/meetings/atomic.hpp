// SPDX-License-Identifier: MIT
// Declares what base/atomic.hpp declares, and calls a hook before each operation. DETENT_ATOMIC_HEADER names this
// header in detent_hooked. The memory orders are the caller's.
#pragma once

#include <search/meetings/hooks.hpp>
#include <search/meetings/real.hpp>

#include <atomic>
#include <cstdint>

namespace hooks {

template <class T>
class atomic {
 public:
  constexpr atomic() noexcept : real_{} {}
  constexpr atomic(T value) noexcept : real_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order, site where = site::current()) const noexcept {
    before(operation::load, where);
    return real_.load(order);
  }
  void store(T value, std::memory_order order, site where = site::current()) noexcept {
    before(operation::store, where);
    real_.store(value, order);
  }
  T exchange(T value, std::memory_order order, site where = site::current()) noexcept {
    before(operation::exchange, where);
    return real_.exchange(value, order);
  }
  T fetch_add(T value, std::memory_order order, site where = site::current()) noexcept {
    before(operation::exchange, where);
    return real_.fetch_add(value, order);
  }
  T fetch_sub(T value, std::memory_order order, site where = site::current()) noexcept {
    before(operation::exchange, where);
    return real_.fetch_sub(value, order);
  }
  T fetch_or(T value, std::memory_order order, site where = site::current()) noexcept {
    before(operation::exchange, where);
    return real_.fetch_or(value, order);
  }
  T fetch_and(T value, std::memory_order order, site where = site::current()) noexcept {
    before(operation::exchange, where);
    return real_.fetch_and(value, order);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               site where = site::current()) noexcept {
    before(operation::exchange, where);
    return real_.compare_exchange_strong(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure,
                             site where = site::current()) noexcept {
    before(operation::exchange, where);
    return real_.compare_exchange_weak(expected, desired, success, failure);
  }

 private:
  std::atomic<T> real_;
};

}  // namespace hooks

namespace detent::base {

template <class T>
using atomic = hooks::atomic<T>;

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

inline void full_fence(hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::fence, where);
  hooks::real::full_fence();
}
inline void add_alone(atomic<std::uint64_t>& count, std::uint64_t amount,
                      hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::store, where);
  hooks::real::add_alone(&count, amount);
}
inline void add_alone_relaxed(atomic<std::uint64_t>& count, std::uint64_t amount,
                              hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::store, where);
  hooks::real::add_alone_relaxed(&count, amount);
}
inline void light_fence(hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::light_fence, where);
  hooks::real::light_fence();
}
[[nodiscard]] inline bool heavy_fence(hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::heavy_fence, where);
  return hooks::real::heavy_fence();
}
inline void waiting_fence(hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::heavy_fence, where);
  hooks::real::waiting_fence();
}
inline bool enable_heavy_fence(hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::heavy_fence, where);
  return hooks::real::enable_heavy_fence();
}

struct pair_value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

class alignas(16) atomic_pair {
 public:
  atomic<std::uint64_t> low{0};
  atomic<std::uint64_t> high{0};

  bool compare_exchange(pair_value expected, pair_value desired, hooks::site where = hooks::site::current()) noexcept {
    hooks::before(hooks::operation::exchange, where);
    return hooks::real::compare_exchange(this, {expected.low, expected.high}, {desired.low, desired.high});
  }
  bool compare_exchange_upper(std::uint32_t expected, std::uint32_t desired,
                              hooks::site where = hooks::site::current()) noexcept {
    hooks::before(hooks::operation::exchange, where);
    return hooks::real::compare_exchange_upper(this, expected, desired);
  }
};
static_assert(sizeof(atomic_pair) == 16, "a pair is what one 16-byte compare-and-swap covers");

enum class futex_result : std::uint8_t { woken, changed, timed_out, interrupted };

inline futex_result futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline_ns,
                               hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::futex_wait, where);
  return static_cast<futex_result>(hooks::wait(&word, expected, deadline_ns));
}
inline void futex_wake(atomic<std::uint32_t>& word, int waiters, hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::futex_wake, where);
  hooks::wake(&word, waiters);
}
inline void cpu_pause(hooks::site where = hooks::site::current()) noexcept {
  hooks::before(hooks::operation::pause, where);
  hooks::real::cpu_pause();
}

}  // namespace detent::base
