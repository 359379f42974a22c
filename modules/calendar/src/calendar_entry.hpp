// SPDX-License-Identifier: MIT
#pragma once

#include "misfires.hpp"

#include <detent/calendar_options.hpp>
#include <detent/detail/calendar_work.hpp>
#include <detent/timer.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace detent::detail {

class calendar_core;

// The calendar's state of one timer. Its memory stays an entry's until the calendar ends, so that a thread that moves
// all timers may look at each entry at any time. The guard is held only for a look-up, by the run of the timer and by
// threads that move it. So each move sees what the last run has planned, and each run plans with the latest step of the
// clock.
class calendar_entry {
 public:
  // The result of moving a timer.
  enum class move_result : std::uint8_t {
    none,   // nothing to move: the timer is over, or in a run, which looks at the clock when it ends
    moved,  // it is now due by the present clock
    again   // it is between two states or about to be scheduled: try again
  };

  // Begins a new timer in a free entry, and returns its deadline.
  time_point begin(std::shared_ptr<calendar_core> of, std::unique_ptr<calendar_work> work, const detent::schedule* when,
                   wall_time planned, const calendar_options& options);
  // The engine has the timer. An empty handle means that it has refused.
  void publish(timer scheduled) noexcept;

  // Called by the engine as its callback.
  void run(firing& at);
  // The engine has destroyed the callback.
  void end() noexcept;

  // Moves the timer to the deadline that the planned time now has.
  move_result follow() noexcept;
  // Does what follow() does after the clock was set back. `date` says that this was so far that the schedule begins
  // again.
  move_result go_back(bool date) noexcept;
  // Returns the zone of its schedule, if it has one.
  std::optional<time_zone> zone();
  // Continues with the new reading of its zone. Returns true if its planned time has changed.
  bool change_zone(const time_zone& before, const time_zone& after);
  void cancel_and_wait() noexcept;

  due_time next() const;

  calendar_entry* next_free = nullptr;  // used by the pool
  std::uint64_t pass = 0;               // for threads that move all timers: the last pass that settled this one

 private:
  bool is_running_alone(const firing& at) const noexcept { return !at.self(); }
  bool begin_run(firing& at);
  void end_run(firing& at) noexcept;
  void report_end(std::unique_lock<std::mutex>& lock, bool exhausted) noexcept;  // unlocks it
  // Called under the guard, as is the next.
  move_result move() noexcept;
  bool is_settled() const noexcept { return over_ || ended_ || running_; }

  mutable std::mutex guard_;
  std::shared_ptr<calendar_core> core_;
  std::unique_ptr<calendar_work> work_;       // used by the run and by end()
  std::optional<detent::schedule> schedule_;  // empty for a timer that runs once
  calendar_options options_;
  timer handle_;  // empty until it is published
  wall_time planned_{};
  wall_time last_{};      // the planned time is the next one after this, which is at first the time of scheduling
  wall_time ran_{};       // the planned time of the last run; before the first, the beginning of time
  wall_time admitted_{};  // planned times up to this one run even if they are late
  std::uint64_t missed_ = 0;
  std::thread::id runner_;  // the thread of the last run
  bool published_ = false;
  bool running_ = false;
  bool over_ = false;    // the last run is over
  bool ended_ = true;    // the engine no longer has a callback, or the entry is free
  bool emptied_ = true;  // what the callback held was destroyed
};

// Held by the engine for the entry until it destroys the callback.
class entry_holder {
 public:
  explicit entry_holder(calendar_entry& held) noexcept : held_(&held) {}
  entry_holder(entry_holder&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  entry_holder& operator=(entry_holder&&) = delete;
  ~entry_holder() {
    if (held_ != nullptr) held_->end();
  }
  void operator()(firing& at) const { held_->run(at); }

 private:
  calendar_entry* held_;
};

}  // namespace detent::detail
