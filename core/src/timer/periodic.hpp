// SPDX-License-Identifier: MIT
// Computes when a periodic timer runs next: pure arithmetic on its cold part.
#pragma once

#include "timer/node.hpp"
#include "timer/tick_grid.hpp"

namespace detent::detail {

// The period that a run stands for.
struct period_run {
  nanoseconds_t deadline = 0;
  std::uint64_t missed = 0;
};

// Called at the start of a run whose armed deadline is `armed`: decides which period the run stands for, and moves the
// grid to the next one. A deadline that is not the grid's means that the timer was restarted: the grid is anchored
// again there.
period_run begin_period(cold_part& cold, nanoseconds_t armed, nanoseconds_t started, const tick_grid& ticks) noexcept;

// Called at the end of a run: returns the next deadline before rounding. now() is called only for a fixed delay.
template <class Now>
nanoseconds_t next_period(cold_part& cold, Now&& now) noexcept {
  if (cold.kind == period_kind::fixed_delay) cold.grid = add_saturated(now(), cold.period);
  return cold.grid;
}

}  // namespace detent::detail
