// SPDX-License-Identifier: MIT
// An engine and a calendar whose time is moved by hand.
#pragma once

#include <detent/calendar.hpp>
#include <detent/engine.hpp>
#include <detent/manual_clock.hpp>

#include <utility>

namespace session {

class virtual_market {
 public:
  explicit virtual_market(detent::wall_time begin, detent::calendar_set_up set_up = {})
      : engine_({.manual = &clock_}), timers_(engine_, beginning(begin, std::move(set_up))) {}

  detent::calendar& timers() noexcept { return timers_; }

  // From deadline to deadline, until the wall clock reads `end`.
  void run_until(detent::wall_time end) { clock_.run_for(end - timers_.now(), engine_); }
  // Somebody sets the wall clock.
  void set_clock(detent::wall_time now) {
    timers_.set_virtual_clock(now);
    while (engine_.poll() != 0) {
    }
  }

 private:
  static detent::calendar_set_up beginning(detent::wall_time begin, detent::calendar_set_up set_up) {
    set_up.virtual_epoch = begin;
    return set_up;
  }

  detent::manual_clock clock_;
  detent::engine engine_;
  detent::calendar timers_;
};

}  // namespace session
