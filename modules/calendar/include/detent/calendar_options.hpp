// SPDX-License-Identifier: MIT
// The options of a calendar's timers, and the values that a calendar reports.
#pragma once

#include <detent/firing.hpp>
#include <detent/label.hpp>
#include <detent/schedule.hpp>
#include <detent/time.hpp>
#include <detent/wall_time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace detent::detail {
class calendar_entry;
}

namespace detent {

// Decides about planned times that could not be met because the process was stopped, the machine was suspended, the
// clock was set forward or the engine was busy.
enum class misfire : std::uint8_t {
  skip,  // what is later than misfire_after does not run
  once,  // one run, now, stands for the latest of all that are due
  all    // each of them runs, in order, back to back; at most the latest `most`
};

struct calendar_options {
  std::uint64_t runs = 0;
  // The lane of each run, 0 to 3, as in timer_options. 0.
  detent::label label = {};
  std::uint8_t lane = 0;
  // The timer's runs are counted apart under this name; of make_label() of the calendar's engine. None.
  // Decides about misfires. By default one run stands for them all.
  misfire on_misfire = misfire::once;
  // A planned time that is later than this when it could run is a misfire; at least 0 ns. 1 s.
  duration misfire_after = std::chrono::seconds(1);
  // With misfire::all this many of one delay run, 1 to 100,000; the others are counted in missed(). 1,000.
  std::uint32_t most = 1000;
  // A timer of schedule_on() ends after this many runs. 0: with the schedule.
};

// Answers the questions of a running callback. Valid during that run only, on its thread.
class calendar_firing {
 public:
  // The time that this run stands for; strictly later than that of the run before, unless the clock was set back.
  wall_time planned() const noexcept { return planned_; }
  // Planned times since the last run, or since the start, that do not run, by misfire rules. Counts up to 100,000 of
  // one delay.
  std::uint64_t missed() const noexcept { return missed_; }
  // Returns when it runs next if nothing changes; none after the last time. Costs a schedule::next().
  std::optional<wall_time> next() const noexcept;
  // The engine's own view: the handle, the deadline, the lateness.
  const firing& run() const noexcept { return run_; }

 private:
  friend class detail::calendar_entry;
  calendar_firing(const detail::calendar_entry& entry, const firing& run, wall_time planned,
                  std::uint64_t missed) noexcept
      : entry_(entry), run_(run), planned_(planned), missed_(missed) {}

  const detail::calendar_entry& entry_;
  const firing& run_;
  wall_time planned_;
  std::uint64_t missed_;
};

// The wall clock was set: by hand, by NTP, for a leap second, or the machine was suspended.
struct clock_step {
  duration by;        // forward if positive, against the steady clock; accurate to some 100 ns
  wall_time now;      // when it was noticed
  std::size_t moved;  // timers whose deadline follows it
  duration took;      // to move them
};

// A schedule has no further run, and was neither cancelled nor limited by calendar_options::runs.
struct schedule_end {
  schedule of;
  wall_time last;            // the last time that it had, run or missed
  bool days_exhausted;       // its day_set knows no further day; false: there is no due time before 2200
  std::string what() const;  // one line
};

struct calendar_set_up {
  // After each step of the wall clock, when all timers are moved; on the thread that watches the clock, on which the
  // calendar must not be destroyed. Of virtual engines on the thread that set the clock. Null: steps are not reported.
  std::function<void(const clock_step&)> on_step = {};
  // On the thread of the last run. Null: one line on stderr.
  std::function<void(const schedule_end&)> on_end = {};
  // After a step back a schedule by elapsed time goes on at the new time at once, and one of fixed times repeats none
  // of them: as with cron(8). A step back by more than this puts a wrong date right: all schedules begin again at the
  // new time. At least 0 ns; less than 3 h counts as 3 h, so that no fixed time comes twice within hours. 3 h.
  duration large_step = std::chrono::hours(3);
  // Virtual engines (engine_options::manual), and no others: the wall time at the manual clock's zero. No clock is
  // watched and no thread made. None: time is real.
  std::optional<wall_time> virtual_epoch = {};
};

}  // namespace detent
