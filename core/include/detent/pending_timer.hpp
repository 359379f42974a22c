// SPDX-License-Identifier: MIT
#pragma once

#include <detent/label.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <cstdint>

namespace detent {

// A timer as engine::list_pending() reports it.
struct pending_timer {
  timer handle;
  // time_point::max() while the timer's group is paused.
  time_point deadline;
  // The time since it was scheduled; zero unless engine_options::capture_origin.
  duration age;
  detent::label label;
  std::uint64_t tag;  // timer_options::tag, or periodic_options::tag
  // "queued": submitted and not drained; "armed": in the wheel; "dispatched": handed to the executor; "paused": one of
  // these while its group is paused; "running": a periodic timer during a run.
  const char* state;
  // The place of the schedule call; null unless engine_options::capture_origin.
  const char* file;
  std::uint32_t line;
};

}  // namespace detent
