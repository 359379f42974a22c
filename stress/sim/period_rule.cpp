// SPDX-License-Identifier: MIT
#include "period_rule.hpp"

namespace detent::sim {

nanoseconds_t plus(nanoseconds_t a, nanoseconds_t b) noexcept {
  nanoseconds_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b < 0 ? INT64_MIN : INT64_MAX;
  return sum;
}

nanoseconds_t minus(nanoseconds_t a, nanoseconds_t b) noexcept {
  nanoseconds_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return b < 0 ? INT64_MAX : INT64_MIN;
  return difference;
}

nanoseconds_t rounded_up(nanoseconds_t t, nanoseconds_t tick) noexcept {
  nanoseconds_t multiple = t / tick * tick;
  return multiple < t ? plus(multiple, tick) : multiple;
}

// A grid may span more than the range of time.
__extension__ typedef __int128 wide;

static wide period_at(const period_rule& rule, std::uint64_t number) noexcept {
  return wide{rule.grid} + wide{number} * rule.period;
}

// The deadline of period number `number` of the grid has come.
static bool has_come(const period_rule& rule, std::uint64_t number, nanoseconds_t now, nanoseconds_t tick) noexcept {
  const wide at = period_at(rule, number);
  return at <= end_of_time && rounded_up(static_cast<nanoseconds_t>(at), tick) <= now;
}

period_run start_period(period_rule& rule, nanoseconds_t armed, nanoseconds_t started, nanoseconds_t tick) noexcept {
  if (rule.kind == repetition::fixed_delay) return {armed, 0};
  // The last period that has come, by bisection.
  std::uint64_t last = 0;
  for (std::uint64_t step = std::uint64_t{1} << 62; step != 0; step /= 2) {
    if (has_come(rule, last + step, started, tick)) last += step;
  }
  if (last == 0 || rule.missed == missed_ticks::burst) {
    rule.grid = plus(rule.grid, rule.period);
    return {armed, 0};
  }
  if (rule.missed == missed_ticks::delay) {
    rule.grid = plus(started, rule.period);
    return {armed, last};
  }
  const auto latest = static_cast<nanoseconds_t>(period_at(rule, last));
  rule.grid = plus(latest, rule.period);
  return {rounded_up(latest, tick), last};
}

}  // namespace detent::sim
