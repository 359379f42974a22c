// SPDX-License-Identifier: MIT
// An io_context and engines in virtual time. `Loop` is base::boost_asio_loop or base::standalone_asio_loop.
#pragma once

#include <detent/engine.hpp>
#include <detent/manual_clock.hpp>
#include <detent/time.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace detent::detail {

// The earliest deadline of all engines.
inline std::optional<time_point> first_deadline(std::span<engine* const> engines) {
  std::optional<time_point> first;
  for (engine* each : engines) {
    if (const auto next = each->next_deadline()) first = std::min(first.value_or(*next), *next);
  }
  return first;
}

// Runs handlers that are ready and callbacks that are due, until there are none of either.
template <class Loop>
void run_until_idle(typename Loop::context& on, manual_clock& clock, std::span<engine* const> engines) {
  for (std::size_t ran = 1; ran != 0 && !on.stopped();) {
    ran = on.poll();
    if (!on.stopped()) ran += clock.run_until(clock.now(), engines);
  }
}

template <class Loop>
void run_virtually(typename Loop::context& on, manual_clock& clock, time_point end, std::span<engine* const> engines) {
  on.restart();
  const typename Loop::work held(on.get_executor());  // poll() does not stop the context for want of work
  for (;;) {
    run_until_idle<Loop>(on, clock, engines);
    if (on.stopped()) return;
    const std::optional<time_point> next = first_deadline(engines);
    if (!next || *next > end) break;
    if (*next != (time_point::max)()) {
      clock.advance_to(*next);
      continue;
    }
    // An engine reports the end of time as the deadline of members of paused groups, which are never due. run_until()
    // moves time there only if another timer is due then.
    const time_point before = clock.now();
    clock.run_until(*next, engines);
    if (clock.now() == before) break;
  }
  if (end != (time_point::max)()) clock.advance_to(end);
}

}  // namespace detent::detail
