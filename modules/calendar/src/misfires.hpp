// SPDX-License-Identifier: MIT
#pragma once

#include <detent/calendar_options.hpp>
#include <detent/schedule.hpp>
#include <detent/wall_time.hpp>

#include <cstdint>
#include <optional>

namespace detent::detail {

// The time at which a schedule continues. If `planned` is empty, it does not.
struct due_time {
  std::optional<wall_time> planned;
  bool exhausted = false;  // its day_set knows no further day
};

// Does what schedule::next() does, but returns the end of the known days as an answer.
due_time next_due(const detent::schedule& of, wall_time after);

// Returns the time after which a schedule continues when the clock was set back to `now`. `ran` is the planned time of
// its last run, or the beginning of time if none counts.
wall_time set_back_to(const detent::schedule& of, wall_time now, wall_time ran);

// The next steps of a timer that could not run in time.
struct misfire_answer {
  due_time next;             // runs now if it is not later than now, and is otherwise waited for
  std::uint64_t missed = 0;  // planned times that are left out
  wall_time admitted{};      // planned times up to this one run even if they are late
  wall_time last{};          // the last one left out, if nothing is next
};

inline constexpr std::uint64_t most_counted = 100'000;

// For a timer planned for `planned`, which is more than misfire_after before `now`.
misfire_answer answer_misfire(const detent::schedule& of, wall_time planned, wall_time now,
                              const calendar_options& options);

}  // namespace detent::detail
