// SPDX-License-Identifier: MIT
#include "timer/periodic.hpp"

namespace detent::detail {

period_run begin_period(cold_part& cold, nanoseconds_t armed, nanoseconds_t started, const tick_grid& ticks) noexcept {
  if (cold.kind == period_kind::fixed_delay) return {armed, 0};
  if (ticks.round_up(cold.grid) != armed) cold.grid = armed;
  nanoseconds_t anchor = cold.grid;
  // A period is due once its rounded deadline has come. Unsigned: the span may exceed the signed range.
  nanoseconds_t reached = ticks.round_down(started);
  const std::uint64_t since =
      reached <= anchor ? 0 : static_cast<std::uint64_t>(reached) - static_cast<std::uint64_t>(anchor);
  const auto period = static_cast<std::uint64_t>(cold.period);
  const std::uint64_t missed = since < period ? 0 : since / period;  // a division is slow, and rarely needed
  if (missed == 0 || cold.missed_policy == missed_ticks::burst) {
    cold.grid = add_saturated(anchor, cold.period);
    return {armed, 0};
  }
  if (cold.missed_policy == missed_ticks::delay) {
    cold.grid = add_saturated(started, cold.period);
    return {armed, missed};
  }
  // The product fits: it is at most reached - anchor.
  auto latest = static_cast<nanoseconds_t>(static_cast<std::uint64_t>(anchor) + missed * period);
  cold.grid = add_saturated(latest, cold.period);
  return {ticks.round_up(latest), missed};
}

}  // namespace detent::detail
