// SPDX-License-Identifier: MIT
#pragma once

#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <cstdint>

namespace detent {

namespace detail {
class run_scope;
}

// Describes a run to its callback, and lets the callback run again. Valid during that run only, and on its thread.
class firing {
 public:
  firing(const firing&) = delete;
  firing& operator=(const firing&) = delete;

  // The deadline of the period that the run stands for. After missed periods, metrics count the lateness from the first
  // of them.
  time_point deadline() const noexcept { return deadline_; }
  // The clock's reading just before this run. For an `unfired_timer` it is always the steady clock's, and may be before
  // the deadline.
  time_point started() const noexcept { return started_; }
  duration lateness() const noexcept {
    return duration(detail::subtract_saturated(detail::to_ns(started_), detail::to_ns(deadline_)));
  }
  // The periods that were skipped since the last run.
  std::uint64_t missed() const noexcept { return missed_; }
  // True if it is later than its max_lateness and runs all the same, by stale_policy::run.
  bool stale() const noexcept { return stale_; }
  // The timer's handle; empty in the run of an `unfired_timer`.
  timer self() const noexcept { return self_; }
  // timer_options::tag, or periodic_options::tag; 0 in the run of an `unfired_timer`, which has the tag itself.
  std::uint64_t tag() const noexcept;

  // Runs the same node and callable again, without allocation. The timer is armed when this run has ended. A later call
  // replaces an earlier one. In a periodic timer it re-anchors the grid. Has no effect if the timer is cancelled during
  // the run, or if this is the last of its `runs`.
  void rearm_at(detail::clock_time deadline) noexcept;
  void rearm_after(detail::whole_duration delay) noexcept;

 private:
  friend class detail::run_scope;
  firing(const timer& self, time_point deadline, time_point started, std::uint64_t missed, bool stale) noexcept
      : deadline_(deadline), started_(started), self_(self), missed_(missed), stale_(stale) {}

  const time_point deadline_;
  const time_point started_;
  time_point rearm_deadline_{};  // if rearmed_
  const timer self_;
  const std::uint64_t missed_;
  const bool stale_;
  bool rearmed_ = false;
};

}  // namespace detent
