// SPDX-License-Identifier: MIT
// When a periodic timer runs next. Pure arithmetic on its cold part.
#pragma once

#include "timer/node.hpp"
#include "timer/tick_grid.hpp"

namespace detent::detail {

// The period that a run is for.
struct period_run {
  nanoseconds_t deadline = 0;
  std::uint64_t missed = 0;
};

// At the start of a run whose armed deadline is `armed`: decides which period it is for, and moves the grid to the
// next one. A deadline that is not the grid's says that the timer was restarted: the grid is anchored again there.
period_run begin_period(cold_part& cold, nanoseconds_t armed, nanoseconds_t started, const tick_grid& ticks) noexcept;

// At the end of a run: the next deadline before rounding. now() is asked for a fixed delay only.
template <class Now>
nanoseconds_t next_period(cold_part& cold, Now&& now) noexcept {
  if (cold.kind == period_kind::fixed_delay) cold.grid = add_saturated(now(), cold.period);
  return cold.grid;
}

}  // namespace detent::detail
