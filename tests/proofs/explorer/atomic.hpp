// SPDX-License-Identifier: MIT
// What base/atomic.hpp declares, on the machine: this is the header that DETENT_ATOMIC_HEADER names in the model tests.
// An object holds its first value only; what is stored later is known to the machine alone.
#pragma once

#include <proofs/explorer/machine.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace model {

template <class T>
class atomic {
  struct box {
    T value;
  };
  static constexpr unsigned size = sizeof(box);
  static_assert(std::is_trivially_copyable_v<T> && size <= 8, "what one machine word can hold");

 public:
  constexpr atomic() noexcept : value_{} {}
  constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order o, site where = site::here()) const noexcept {
    return narrow(machine::instance().load(&value_, size, o, where));
  }
  void store(T value, order o, site where = site::here()) noexcept {
    machine::instance().store(&value_, size, widen(value), o, where);
  }
  T exchange(T value, order o, site where = site::here()) noexcept {
    auto change = [](std::uint64_t, std::uint64_t operand) { return operand; };
    return narrow(machine::instance().update(&value_, size, "exchange", change, widen(value), o, where));
  }
  T fetch_add(T value, order o, site where = site::here()) noexcept {
    auto change = [](std::uint64_t before, std::uint64_t operand) {
      return widen(static_cast<T>(narrow(before) + narrow(operand)));
    };
    return narrow(machine::instance().update(&value_, size, "fetch_add", change, widen(value), o, where));
  }
  T fetch_sub(T value, order o, site where = site::here()) noexcept {
    auto change = [](std::uint64_t before, std::uint64_t operand) {
      return widen(static_cast<T>(narrow(before) - narrow(operand)));
    };
    return narrow(machine::instance().update(&value_, size, "fetch_sub", change, widen(value), o, where));
  }
  T fetch_or(T value, order o, site where = site::here()) noexcept {
    auto change = [](std::uint64_t before, std::uint64_t operand) { return before | operand; };
    return narrow(machine::instance().update(&value_, size, "fetch_or", change, widen(value), o, where));
  }
  T fetch_and(T value, order o, site where = site::here()) noexcept {
    auto change = [](std::uint64_t before, std::uint64_t operand) { return before & operand; };
    return narrow(machine::instance().update(&value_, size, "fetch_and", change, widen(value), o, where));
  }
  bool compare_exchange_strong(T& expected, T desired, order success, order failure,
                               site where = site::here()) noexcept {
    return compare_exchange(expected, desired, success, failure, false, where);
  }
  bool compare_exchange_weak(T& expected, T desired, order success, order failure, site where = site::here()) noexcept {
    return compare_exchange(expected, desired, success, failure, true, where);
  }

 private:
  static std::uint64_t widen(T value) {
    std::uint64_t wide = 0;
    std::memcpy(&wide, &value, size);
    return wide;
  }
  static T narrow(std::uint64_t wide) {
    T value;
    std::memcpy(static_cast<void*>(&value), &wide, size);  // trivially copyable, as asserted above
    return value;
  }
  bool compare_exchange(T& expected, T desired, order success, order failure, bool weak, site where) noexcept {
    std::uint64_t wide = widen(expected);
    bool done =
        machine::instance().compare_exchange(&value_, size, wide, widen(desired), success, failure, weak, where);
    if (!done) expected = narrow(wide);
    return done;
  }

  T value_;
};

}  // namespace model

namespace detent::base {

template <class T>
using atomic = model::atomic<T>;

inline constexpr auto relaxed = model::order::relaxed;
inline constexpr auto acquire = model::order::acquire;
inline constexpr auto release = model::order::release;
inline constexpr auto acq_rel = model::order::acq_rel;
inline constexpr auto seq_cst = model::order::seq_cst;

inline void full_fence(model::site where = model::site::here()) noexcept {
  model::machine::instance().fence(model::order::seq_cst, where);
}

inline void add_alone(atomic<std::uint64_t>& count, std::uint64_t amount,
                      model::site where = model::site::here()) noexcept {
  count.store(count.load(relaxed, where) + amount, release, where);
}

inline void add_alone_relaxed(atomic<std::uint64_t>& count, std::uint64_t amount,
                              model::site where = model::site::here()) noexcept {
  count.store(count.load(relaxed, where) + amount, relaxed, where);
}

// The machine has no compiler that could move anything.
inline void light_fence() noexcept {}
[[nodiscard]] inline bool heavy_fence(model::site where = model::site::here()) noexcept {
  return model::machine::instance().heavy_fence(where);
}
// To wait long enough is to have all threads pass a fence.
inline void waiting_fence(model::site where = model::site::here()) noexcept {
  model::machine::instance().fence_everybody(where);
}
inline bool enable_heavy_fence() noexcept { return true; }

struct pair_value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

class alignas(16) atomic_pair {
 public:
  atomic<std::uint64_t> low{0};
  atomic<std::uint64_t> high{0};

  bool compare_exchange(pair_value expected, pair_value desired, model::site where = model::site::here()) noexcept {
    return model::machine::instance().compare_exchange_both(&low, &high, {expected.low, expected.high},
                                                            {desired.low, desired.high}, where);
  }
  bool compare_exchange_upper(std::uint32_t expected, std::uint32_t desired,
                              model::site where = model::site::here()) noexcept {
    return model::machine::instance().compare_exchange_upper(&low, expected, desired, where);
  }
};
static_assert(sizeof(atomic_pair) == 16, "a pair is what one 16-byte compare-and-swap covers");

using futex_result = model::machine::wait_result;

inline futex_result futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline_ns,
                               model::site where = model::site::here()) noexcept {
  return model::machine::instance().futex_wait(&word, expected, deadline_ns, where);
}
inline void futex_wake(atomic<std::uint32_t>& word, int waiters, model::site where = model::site::here()) noexcept {
  model::machine::instance().futex_wake(&word, waiters, where);
}
inline void cpu_pause(model::site where = model::site::here()) noexcept { model::machine::instance().pause(where); }

}  // namespace detent::base
