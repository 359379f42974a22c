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
  skip,  // a planned time that is later than misfire_after does not run
  once,  // one run, now, stands for the latest of all that are due
  all    // each of them runs, in order, back to back; at most the latest `most`
};

struct calendar_options {
  // A timer of schedule_on() ends after this many runs. Default: 0, it ends with the schedule.
  std::uint64_t runs = 0;
  // The timer's runs are counted apart under this name, from make_label() of the calendar's engine. Default: none.
  detent::label label = {};
  // The lane of each run, 0 to 3, as in timer_options. Default: 0.
  std::uint8_t lane = 0;
  // Decides about misfires. Default: one run stands for them all.
  misfire on_misfire = misfire::once;
  // A planned time that is later than this when it could run is a misfire. At least 0 ns. Default: 1 s.
  duration misfire_after = std::chrono::seconds(1);
  // With misfire::all this many of one delay run, 1 to 100,000; the others are counted in missed(). Default: 1,000.
  std::uint32_t most = 1000;
};

// Tells a running callback about its run. Valid during that run only, and on its thread.
class calendar_firing {
 public:
  // The time that this run stands for. It is later than that of the run before, unless the clock was set back.
  wall_time planned() const noexcept { return planned_; }
  // The planned times since the last run, or since the start, that do not run by misfire rules. Counts up to 100,000 of
  // one delay.
  std::uint64_t missed() const noexcept { return missed_; }
  // When it runs next if nothing changes; none after the last time. Costs a schedule::next().
  std::optional<wall_time> next() const noexcept;
  // The engine's view of the run: the handle, the deadline, the lateness.
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

// A step of the wall clock: it was set by hand, by NTP or for a leap second, or the machine was suspended.
struct clock_step {
  duration by;        // forward if positive, relative to the steady clock; accurate to some 100 ns
  wall_time now;      // when the step was noticed
  std::size_t moved;  // timers whose deadline follows the step
  duration took;      // the time it took to move them
};

// A schedule that has no further run, and was neither cancelled nor limited by calendar_options::runs.
struct schedule_end {
  schedule of;
  wall_time last;            // the last time that it had, run or missed
  bool days_exhausted;       // its day_set knows no further day; false: no time before 2200 is due
  std::string what() const;  // one line
};

struct calendar_set_up {
  // Called after each step of the wall clock, when all timers are moved. It runs on the thread that watches the clock,
  // on which the calendar must not be destroyed; for virtual engines, on the thread that set the clock. Null, the
  // default: steps are not reported.
  std::function<void(const clock_step&)> on_step = {};
  // Called on the thread of the last run. Null, the default: one line on stderr.
  std::function<void(const schedule_end&)> on_end = {};
  // After a step back, a schedule by elapsed time goes on at the new time at once, and one of fixed times repeats none
  // of them, as with cron(8). A step back by more than this corrects a wrong date: all schedules begin again at the new
  // time. At least 0 ns; less than 3 h counts as 3 h, so that no fixed time comes twice within hours. Default: 3 h.
  duration large_step = std::chrono::hours(3);
  // For virtual engines (engine_options::manual), and no others: the wall time at the manual clock's zero. No clock is
  // watched, and no thread is made. Default: none, time is real.
  std::optional<wall_time> virtual_epoch = {};
};

}  // namespace detent
