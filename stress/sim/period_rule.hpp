// SPDX-License-Identifier: MIT
// When a timer fires, as the interface promises it: rounding to ticks, and which period a late run stands for. Written
// for being obvious; shares nothing with the engine's arithmetic.
#pragma once

#include <detent/options.hpp>

#include <cstdint>

namespace detent::sim {

using nanoseconds_t = std::int64_t;
inline constexpr nanoseconds_t end_of_time = INT64_MAX;

// Both hold at the ends of the range.
nanoseconds_t plus(nanoseconds_t a, nanoseconds_t b) noexcept;
nanoseconds_t minus(nanoseconds_t a, nanoseconds_t b) noexcept;
// The next multiple of `tick`; the end of time is one.
nanoseconds_t rounded_up(nanoseconds_t t, nanoseconds_t tick) noexcept;

enum class repetition : std::uint8_t { none, fixed_rate, fixed_delay };

// Of a periodic timer.
struct period_rule {
  repetition kind = repetition::none;
  nanoseconds_t period = 0;
  missed_ticks missed = missed_ticks::skip;
  nanoseconds_t grid = 0;  // where the next run belongs, before rounding
};

struct period_run {
  nanoseconds_t deadline = 0;
  std::uint64_t missed = 0;
};

// A run that was armed for `armed` starts: what it stands for. Moves the grid on.
period_run start_period(period_rule& rule, nanoseconds_t armed, nanoseconds_t started, nanoseconds_t tick) noexcept;

}  // namespace detent::sim
