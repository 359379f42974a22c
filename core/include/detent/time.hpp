// SPDX-License-Identifier: MIT
// The clock of all deadlines: steady_clock, in nanoseconds.
#pragma once

#include <detent/base/compiler.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>
#include <utility>

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

// a + b, held at the ends of the range: no delay is too long, and none overflows.
inline constexpr nanoseconds_t add_saturated(nanoseconds_t a, nanoseconds_t b) noexcept {
  nanoseconds_t sum = 0;
  if (!base::add_overflows(a, b, sum)) return sum;
  return b < 0 ? INT64_MIN : INT64_MAX;
}

// a - b, held likewise.
inline constexpr nanoseconds_t subtract_saturated(nanoseconds_t a, nanoseconds_t b) noexcept {
  nanoseconds_t difference = 0;
  if (!base::subtract_overflows(a, b, difference)) return difference;
  return b < 0 ? INT64_MAX : INT64_MIN;
}

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
inline constexpr bool is_time_point = false;
template <class Clock, class Duration>
inline constexpr bool is_time_point<std::chrono::time_point<Clock, Duration>> = true;
template <class T>
inline constexpr bool is_clock_time = false;
template <class Duration>
inline constexpr bool is_clock_time<std::chrono::time_point<clock, Duration>> = true;

// In nanoseconds, held at the ends of the range: std::chrono itself turns hours::max() into a time that has passed.
// Compiles to no more than chrono's conversion if no value of the type leaves the range, as for detent::duration.
template <class Rep, class Period>
constexpr duration to_duration(const std::chrono::duration<Rep, Period>& given) {
  if constexpr (std::is_integral_v<Rep> && sizeof(Rep) <= sizeof(nanoseconds_t)) {
    using wide = std::conditional_t<std::is_signed_v<Rep>, long long, unsigned long long>;
    using limits = std::numeric_limits<Rep>;
    constexpr nanoseconds_t unit = std::ratio_divide<Period, std::nano>::num;
    constexpr nanoseconds_t most = INT64_MAX / unit, least = INT64_MIN / unit;
    if constexpr (std::cmp_greater(wide{(limits::max)()}, most)) {
      if (std::cmp_greater(wide{given.count()}, most)) return (duration::max)();
    }
    if constexpr (std::cmp_less(wide{(limits::min)()}, least)) {
      if (std::cmp_less(wide{given.count()}, least)) return (duration::min)();
    }
  }
  return given;
}

// The type of a delay in calls. It takes anything that converts to detent::duration, as durations of whole numbers do;
// a delay that is too long becomes the longest one. Other types do not compile, and one sentence says what to write
// instead.
class whole_duration {
 public:
  constexpr whole_duration() noexcept = default;
  template <class T>
  constexpr whole_duration(const T& given) {
    constexpr bool fits = std::is_convertible_v<const T&, duration>;
    // Named, because compilers print the conditions as well.
    constexpr bool no_fraction = fits || !is_duration<T>, no_deadline = fits || !is_time_point<T>;
    constexpr bool has_a_unit = fits || is_duration<T> || is_time_point<T>;
    static_assert(no_fraction,
                  "a delay is a whole number of nanoseconds: write 500ms for 0.5s, or round up by "
                  "std::chrono::ceil<detent::duration>()");
    static_assert(
        no_deadline,
        "a delay is a duration: a time_point goes to schedule_at(), restart_at(), rearm_at() or sleep_until()");
    static_assert(has_a_unit, "a delay is a std::chrono::duration: write 5ms for 5");
    if constexpr (fits && is_duration<T>) {
      value_ = to_duration(given);
    } else if constexpr (fits) {
      value_ = given;
    }
  }
  constexpr operator duration() const noexcept { return value_; }
  constexpr nanoseconds_t count() const noexcept { return value_.count(); }

 private:
  duration value_{0};
};

// The type of a deadline in calls: a time_point of detent::clock, under the same rules.
class clock_time {
 public:
  constexpr clock_time() noexcept = default;
  template <class T>
  constexpr clock_time(const T& given) {
    constexpr bool fits = std::is_convertible_v<const T&, time_point>;
    constexpr bool no_fraction = fits || !is_clock_time<T>, no_delay = fits || !is_duration<T>;
    constexpr bool no_other_clock = fits || is_clock_time<T> || !is_time_point<T>;
    constexpr bool is_a_time = fits || is_duration<T> || is_time_point<T>;
    static_assert(no_fraction,
                  "a deadline is a whole number of nanoseconds: round it up by std::chrono::ceil<detent::duration>()");
    static_assert(no_other_clock,
                  "a deadline is a time_point of detent::clock, which is std::chrono::steady_clock: for times of "
                  "system_clock there is detent::calendar");
    static_assert(no_delay,
                  "a deadline is a time_point: a duration goes to schedule_after(), restart_after(), rearm_after() or "
                  "sleep_for()");
    static_assert(is_a_time, "a deadline is a time_point of detent::clock, such as engine.now() + 5ms");
    if constexpr (fits && is_clock_time<T>) {
      value_ = time_point(to_duration(given.time_since_epoch()));
    } else if constexpr (fits) {
      value_ = given;
    }
  }
  constexpr operator time_point() const noexcept { return value_; }

 private:
  time_point value_{};
};

}  // namespace detent::detail
