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

// The calendar's state of one timer. Its memory stays an entry's until the calendar's end, so that a thread that moves
// all timers may look at each at any time. The guard is held for a look-up at most, by the run of the timer and by
// those that move it; so each move is by what the run before has planned, and each run plans by the latest step of the
// clock.
class calendar_entry {
 public:
  // How a move of a timer went.
  enum class move_result : std::uint8_t {
    none,   // there was none to move: over, or in a run, which looks at the clock when it ends
    moved,  // it is now due by the clock as it stands
    again   // between two states, or about to be scheduled: to be tried again
  };

  // Begins a new timer in an entry that is free, and returns its deadline.
  time_point begin(std::shared_ptr<calendar_core> of, std::unique_ptr<calendar_work> work, const detent::schedule* when,
                   wall_time planned, const calendar_options& options);
  // The engine has it; an empty handle: it has refused.
  void publish(timer scheduled) noexcept;

  // The engine's callback.
  void run(firing& at);
  // The engine has destroyed the callback.
  void end() noexcept;

  // Moves the timer to the deadline that the planned time now has.
  move_result follow() noexcept;
  // follow() after the clock was set back; `date` if that was by so much that the schedule begins again.
  move_result go_back(bool date) noexcept;
  // The zone of its schedule, if it has one.
  std::optional<time_zone> zone();
  // Goes on by the new reading of its zone. True: its planned time is another now.
  bool change_zone(const time_zone& before, const time_zone& after);
  void cancel_and_wait() noexcept;

  due_time next() const;

  calendar_entry* next_free = nullptr;  // the pool's
  std::uint64_t pass = 0;               // of those that move all timers: the last in which this one was settled

 private:
  bool is_running_alone(const firing& at) const noexcept { return !at.self(); }
  bool begin_run(firing& at);
  void end_run(firing& at) noexcept;
  void report_end(std::unique_lock<std::mutex>& lock, bool exhausted) noexcept;  // unlocks
  move_result move() noexcept;                                                   // under the guard, as the next
  bool is_settled() const noexcept { return over_ || ended_ || running_; }

  mutable std::mutex guard_;
  std::shared_ptr<calendar_core> core_;
  std::unique_ptr<calendar_work> work_;       // of the run, and of end()
  std::optional<detent::schedule> schedule_;  // none: a one-shot
  calendar_options options_;
  timer handle_;  // empty until it is published
  wall_time planned_{};
  wall_time last_{};      // after which that is the next; at first when it was scheduled
  wall_time ran_{};       // the planned time of the last run; the beginning of time before the first
  wall_time admitted_{};  // planned times up to here run however late they are
  std::uint64_t missed_ = 0;
  std::thread::id runner_;  // of the last run
  bool published_ = false;
  bool running_ = false;
  bool over_ = false;    // has had its last run
  bool ended_ = true;    // the engine has no callback any more, or the entry is free
  bool emptied_ = true;  // what the callback held is destroyed
};

// The engine's hold on the entry, until it destroys the callback.
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
