// SPDX-License-Identifier: MIT
// Says when a periodic timer runs, and which of its periods a run stands for.
#pragma once

#include <detent/options.hpp>

#include "spec/time_rules.hpp"

namespace detent::spec {

enum class repetition : std::uint8_t { once, fixed_rate, fixed_delay };

// The deadline and the missed periods that a run reports.
struct period_run {
  nanoseconds_t deadline = 0;  // firing::deadline()
  std::uint64_t missed = 0;    // firing::missed()
};

// The runs of one timer. `next` is the deadline of the next run before it is rounded to the tick.
//
// "Fires at initial + n * period, without drift." (engine::schedule_at_fixed_rate) The grid is exact, and each deadline
// on it is rounded up to the tick by itself. So a period that is no multiple of the tick does not drift either.
struct periods {
  repetition kind = repetition::once;
  nanoseconds_t period = 0;
  missed_ticks missed = missed_ticks::skip;
  nanoseconds_t next = 0;

  // A run starts at `started`. It was armed for `armed`, which is `next` rounded to the tick. Moves `next` to the next
  // period.
  period_run begin(nanoseconds_t armed, nanoseconds_t started, nanoseconds_t tick) {
    if (kind != repetition::fixed_rate) return {armed, 0};
    const std::uint64_t behind = complete_since(started, tick);
    // missed_ticks::burst runs "all of them, back to back", so no period is missed.
    if (behind == 0 || missed == missed_ticks::burst) {
      next = plus(next, period);
      return {armed, 0};
    }
    // With missed_ticks::delay, "the next period counts from now".
    if (missed == missed_ticks::delay) {
      next = plus(started, period);
      return {armed, behind};
    }
    // With missed_ticks::skip, "one run stands for the latest due period; missed() counts the rest".
    const nanoseconds_t latest = saturated(wide{next} + wide{behind} * period);
    next = plus(latest, period);
    return {rounded_up(latest, tick), behind};
  }

  // "The next run comes `delay` after the end of the last one." (engine::schedule_with_fixed_delay)
  void end(nanoseconds_t ended) {
    if (kind == repetition::fixed_delay) next = plus(ended, period);
  }

 private:
  // Returns how many whole periods have come since the next one was due.
  std::uint64_t complete_since(nanoseconds_t started, nanoseconds_t tick) const {
    const wide reached = rounded_down(started, tick);
    return reached <= next ? 0 : static_cast<std::uint64_t>((reached - next) / period);
  }
};

// The grid of an interval, for whose points a coroutine waits. "The points are `first + n * period`, and the first is
// one period from now. `options.missed_policy` says how to handle points that have gone by before next() was awaited:
// skip goes on at the latest one, burst gives each of them, and with delay each point begins a new grid. After
// `options.runs` points next() gives false at once." (interval)
struct points {
  nanoseconds_t period = 1;
  missed_ticks missed = missed_ticks::skip;
  std::uint64_t left = 0;  // of a limited number
  bool is_limited = false;
  nanoseconds_t next = 0;

  bool is_over() const { return is_limited && left == 0; }
  // Returns what interval::deadline() and missed() report of the point that has come.
  period_run come(nanoseconds_t now) {
    if (is_limited) --left;
    period_run came{next, 0};
    if (missed == missed_ticks::delay) {
      next = plus(now, period);
      return came;
    }
    // "With missed_ticks::skip, the latest one that had come by then." (interval::deadline) "At the end of time no
    // point counts as missed." (coroutines.md)
    if (missed == missed_ticks::skip && now > next && now != end_of_time) {
      came.missed = static_cast<std::uint64_t>((wide{now} - next) / period);
      came.deadline = saturated(wide{next} + wide{came.missed} * period);
    }
    next = plus(came.deadline, period);
    return came;
  }
};

}  // namespace detent::spec
