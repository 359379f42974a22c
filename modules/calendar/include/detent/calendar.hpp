// SPDX-License-Identifier: MIT
// Timers by the wall clock on an engine: at a time, or on a schedule. They stay right when the clock is set.
#pragma once

#include <detent/calendar_options.hpp>
#include <detent/detail/calendar_work.hpp>
#include <detent/engine.hpp>
#include <detent/origin.hpp>
#include <detent/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace detent {

// The wall-clock timers of one engine. Any thread may call anything except moving and destroying. Costs one thread,
// which is blocked until the wall clock is set: the kernel slews both clocks alike, so between two steps a planned time
// is a fixed time of the steady clock. No callback starts before its planned time by the wall clock. The engine must
// outlive the calendar, and must not be moved while it exists. A calendar that has been moved from may be destroyed and
// assigned to; every other call on it prints one line on stderr and aborts.
class calendar {
 public:
  // Throws error with errc::invalid_option (virtual_epoch without a manual clock, or the reverse; a negative
  // large_step), and with errc::limit_reached if there is no descriptor or no thread left.
  explicit calendar(engine& of, const calendar_set_up& options = {});
  calendar(calendar&& other) noexcept;
  calendar& operator=(calendar&& other) noexcept;
  // Cancels its timers. Waits for running callbacks, and for the destruction of what they hold, except for a callback
  // that calls this. Does nothing in the child of a fork.
  ~calendar();

  // Runs once, at `when`, called as f(calendar_firing&) or f(). The handle is the engine's own: cancel() gives its
  // exact answers, but restart_at() means nothing, because the planned time stays. A time that is past runs at once;
  // under misfire::skip it does not run if it is past by more than misfire_after. Throws what engine::schedule_at()
  // throws, invalid_option for an impossible option, and bad_alloc.
  template <detail::calendar_callback F>
  timer schedule_at(wall_time when, F&& f, calendar_options options = {}, origin where = origin::current()) {
    return add(when, nullptr, detail::make_calendar_work(std::forward<F>(f)), options, where);
  }
  // Runs at each time that `when` has from now on. One handle stands for all runs, which use one node and allocate
  // nothing. The next time is looked up when a run has ended. The end of a schedule is reported to on_end. Also throws
  // schedule_error if nothing is due any more, and error with days_exhausted if that is not known.
  template <detail::calendar_callback F>
  timer schedule_on(const schedule& when, F&& f, calendar_options options = {}, origin where = origin::current()) {
    return add(wall_time{}, &when, detail::make_calendar_work(std::forward<F>(f)), options, where);
  }

  // Reads the time zones of all schedules from the host's files again, and moves pending timers to where they belong by
  // them. Returns how many timers moved. Throws error with unknown_zone, and then nothing has changed; bad_alloc.
  std::size_t reload_zones();
  // For virtual engines: the wall clock reads `now` from here on, as if it had been set, and pending timers move.
  // Returns how many moved. Throws error with errc::invalid_option if the engine is not virtual.
  std::size_t set_virtual_clock(wall_time now);

  wall_time now() const noexcept;
  // The planned times of all timers so far that have not run, by misfire rules.
  std::uint64_t missed() const noexcept;

 private:
  // Prints the name of the call and aborts if the calendar has been moved from.
  detail::calendar_core& core(const char* call = __builtin_FUNCTION()) const noexcept {
    if (!core_) [[unlikely]]
      detail::used_after_move("calendar", call);
    return *core_;
  }
  timer add(wall_time at, const schedule* when, std::unique_ptr<detail::calendar_work> work,
            const calendar_options& options, const origin& where, const char* call = __builtin_FUNCTION());

  std::shared_ptr<detail::calendar_core> core_;  // null once moved from
};

}  // namespace detent
