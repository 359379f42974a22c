// SPDX-License-Identifier: MIT
// One timer of the specification: what was asked for, and what has become of it.
#pragma once

#include <detent/timer.hpp>

#include "spec/group.hpp"
#include "spec/period.hpp"

#include <array>

namespace detent::spec {

// Timers, groups, labels and executors have numbers; 0 stands for none. Executor 0 is engine_options::executor.
using timer_id = std::uint32_t;
using thread_id = unsigned;

// A schedule call with its options. The defaults are those of timer_options and periodic_options.
struct plan {
  nanoseconds_t when = 0;
  repetition repeats = repetition::once;
  nanoseconds_t period = 1;
  missed_ticks missed = missed_ticks::skip;
  std::uint64_t runs = 0;  // 0 for no end
  nanoseconds_t slack = 0;
  nanoseconds_t max_lateness = end_of_time;
  stale_policy stale = stale_policy::drop;
  std::uint8_t lane = 0;
  std::uint32_t label = 0;
  std::uint64_t tag = 0;
  unsigned executor = 0;
  group_id group = no_group;
};

enum class phase : std::uint8_t {
  waiting,  // pending, in the engine
  handed,   // an executor has it, or has refused it and the engine keeps it
  running,
  ended
};
// "A one-shot ends exactly once", "as fired, cancelled, returned (by `stop()` or `~engine`) or dropped" (G1).
enum class ending : std::uint8_t { none, refused, expired, cancelled, returned, dropped };

struct timer {
  timer_id id = 0;
  plan asked;
  phase now = phase::waiting;
  ending how = ending::none;

  nanoseconds_t kept = 0;  // the deadline, in the group's time for a member, otherwise rounded up to the tick
  periods grid;
  std::uint64_t runs_left = 0;
  bool moved = false;       // restarted since it was armed
  std::uint64_t order = 0;  // the number of its arming, among all armings
  thread_id armer = 0;      // the thread that armed it

  bool last = false;     // cancelled during this run
  bool used_up = false;  // it was the last of a limited number of runs
  bool rearmed = false;
  nanoseconds_t rearm_at = 0;

  bool cancelled_by_group = false;
  bool to_be_swept = false;       // since before the pass under way
  std::uint64_t turn_in = 0;      // the pass in which it had its turn
  std::uint64_t turn_may_be = 0;  // the next pass, if it may have been in that one
  std::uint64_t ticket = 0;       // of the hand-over that counts
  bool kept_for_retry = false;

  // For a running timer.
  bool runs_again() const { return (rearmed || periodic()) && !last && !used_up; }
  bool periodic() const { return asked.repeats != repetition::once; }
  // "A periodic timer counts until its last run has ended." (engine::pending) A one-shot that runs has started, and
  // does not count.
  bool counts_as_pending() const { return now != phase::ended && (now != phase::running || periodic()); }
};

}  // namespace detent::spec
