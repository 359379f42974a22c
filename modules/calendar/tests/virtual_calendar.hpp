// SPDX-License-Identifier: MIT
// A calendar on virtual time, which begins on Tuesday 2 January 2024 at 00:00 UTC.
#pragma once

#include "support.hpp"

#include <detent/calendar.hpp>
#include <detent/engine.hpp>
#include <detent/manual_clock.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

namespace detent::calendar_test {

class virtual_calendar {
 public:
  explicit virtual_calendar(calendar_set_up set_up = {}, std::function<void(std::exception_ptr)> on_error = {})
      : engine({.manual = &clock, .on_error = std::move(on_error), .reserve = 64}),
        timers(engine, at_epoch(std::move(set_up))) {}

  static wall_time epoch() { return at(2024, 1, 2); }

  // Time passes, and the engine keeps up with it.
  void go_on_for(duration time) {
    const time_point end = clock.now() + time;
    for (auto next = engine.next_deadline(); next && *next <= end; next = engine.next_deadline()) {
      clock.advance_to(*next);
      engine.poll();
    }
    clock.advance_to(end);
  }
  // Lets time pass, with a poll only at the end.
  void sleep_for(duration time) {
    clock.advance(time);
    catch_up();
  }
  void catch_up() {
    while (engine.poll() != 0) {
    }
  }
  void set_clock(wall_time now) {
    timers.set_virtual_clock(now);
    catch_up();
  }

  manual_clock clock;
  detent::engine engine;
  calendar timers;

 private:
  static calendar_set_up at_epoch(calendar_set_up set_up) {
    set_up.virtual_epoch = epoch();
    return set_up;
  }
};

// Records each run, and how many planned times it was told to have missed.
struct run_log {
  std::vector<wall_time> planned;
  std::vector<std::uint64_t> missed;

  void add(const calendar_firing& run) {
    planned.push_back(run.planned());
    missed.push_back(run.missed());
  }
};

}  // namespace detent::calendar_test
