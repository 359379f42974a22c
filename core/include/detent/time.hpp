// SPDX-License-Identifier: MIT
// The clock of all deadlines: steady_clock, in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <type_traits>

namespace detent {

using clock = std::chrono::steady_clock;
using time_point = clock::time_point;
using duration = std::chrono::nanoseconds;
static_assert(std::is_same_v<clock::duration, duration>, "deadlines are exact to the nanosecond");

}  // namespace detent

namespace detent::detail {

// Nanoseconds since the clock's zero; what the engine computes with.
using nanoseconds_t = std::int64_t;
inline constexpr nanoseconds_t forever = INT64_MAX;

inline constexpr nanoseconds_t to_ns(time_point t) noexcept { return t.time_since_epoch().count(); }
inline constexpr time_point to_time(nanoseconds_t ns) noexcept { return time_point(duration(ns)); }

// a + b, held at the ends of the range: no delay is too long and none overflows.
inline constexpr nanoseconds_t add_saturated(nanoseconds_t a, nanoseconds_t b) noexcept {
  nanoseconds_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? INT64_MIN : INT64_MAX;
}

// a - b, likewise.
inline constexpr nanoseconds_t subtract_saturated(nanoseconds_t a, nanoseconds_t b) noexcept {
  nanoseconds_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace detent::detail
