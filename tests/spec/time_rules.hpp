// SPDX-License-Identifier: MIT
// The arithmetic of time in the specification: nanoseconds that saturate at both ends, ticks, and the roundest time in
// a stretch. Slow and obvious on purpose.
#pragma once

#include <cstdint>

namespace detent::spec {

using nanoseconds_t = std::int64_t;
inline constexpr nanoseconds_t beginning_of_time = INT64_MIN, end_of_time = INT64_MAX;

__extension__ using wide = __int128;

// "Every duration is legal: a deadline in the past fires as soon as possible, and a huge one saturates." (engine)
constexpr nanoseconds_t saturated(wide t) noexcept {
  return t > end_of_time ? end_of_time : t < beginning_of_time ? beginning_of_time : static_cast<nanoseconds_t>(t);
}
constexpr nanoseconds_t plus(nanoseconds_t a, nanoseconds_t b) noexcept { return saturated(wide{a} + b); }
constexpr nanoseconds_t minus(nanoseconds_t a, nanoseconds_t b) noexcept { return saturated(wide{a} - b); }

// "A negative delay is due now; a huge one waits for ever." (faq.md)
constexpr nanoseconds_t after(nanoseconds_t now, nanoseconds_t delay) noexcept {
  return plus(now, delay < 0 ? 0 : delay);
}

// Returns how far `t` is after the last multiple of `step`.
constexpr nanoseconds_t beyond_multiple(nanoseconds_t t, nanoseconds_t step) noexcept {
  const nanoseconds_t over = t % step;
  return over < 0 ? over + step : over;
}

// "Deadlines are rounded up to a multiple of the tick, counted from the clock's zero." (engine_options::tick)
constexpr nanoseconds_t rounded_up(nanoseconds_t t, nanoseconds_t tick) noexcept {
  const nanoseconds_t over = beyond_multiple(t, tick);
  return over == 0 ? t : plus(t, tick - over);
}
// The end of time is a deadline as well, although it is not a multiple of most ticks: a huge delay "is due at the end
// of time" (faq.md).
constexpr nanoseconds_t rounded_down(nanoseconds_t t, nanoseconds_t tick) noexcept {
  return t == end_of_time ? t : minus(t, beyond_multiple(t, tick));
}

// "The engine inserts it at the roundest time in that stretch, so timers with any slack meet there." (overload.md) The
// roundest is "the one with the most trailing zeros" in binary (architecture.md).
constexpr nanoseconds_t roundest(nanoseconds_t first, nanoseconds_t slack) noexcept {
  const nanoseconds_t last = plus(first, slack);
  for (unsigned zeros = 63;; --zeros) {
    const wide step = wide{1} << zeros, found = (wide{first} + step - 1) & -step;
    if (found <= last) return static_cast<nanoseconds_t>(found);
  }
}

}  // namespace detent::spec
