// SPDX-License-Identifier: MIT
#pragma once

#include <detent/calendar_options.hpp>
#include <detent/schedule.hpp>
#include <detent/wall_time.hpp>

#include <cstdint>
#include <optional>

namespace detent::detail {

// Where a schedule goes on. `planned` none: nowhere.
struct due_time {
  std::optional<wall_time> planned;
  bool exhausted = false;  // its day_set knows no further day
};

// schedule::next(), with the end of the known days as an answer.
due_time next_due(const detent::schedule& of, wall_time after);

// From when on a schedule goes on after the clock was set back to `now`. `ran`: the planned time of its last run; the
// beginning of time where none counts.
wall_time set_back_to(const detent::schedule& of, wall_time now, wall_time ran);

// The next steps of a timer that could not run in time.
struct misfire_answer {
  due_time next;             // to run if it is not later than now, else to wait for
  std::uint64_t missed = 0;  // planned times left out
  wall_time admitted{};      // up to here planned times run however late they are
  wall_time last{};          // of those left out, where nothing is next
};

inline constexpr std::uint64_t most_counted = 100'000;

// For a timer that was planned for `planned`, by more than misfire_after before `now`.
misfire_answer answer_misfire(const detent::schedule& of, wall_time planned, wall_time now,
                              const calendar_options& options);

}  // namespace detent::detail
