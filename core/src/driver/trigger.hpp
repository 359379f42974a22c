// SPDX-License-Identifier: MIT
// Firing one timer that is due: its callback runs here, or it goes to an executor.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/agenda.hpp"
#include "driver/outbox.hpp"

#include "callers/run_steps.hpp"

#include <utility>

namespace detent::detail {

// Used by the driver alone. The agenda is the one that the timer is on.
class trigger {
 public:
  trigger(engine_core& core, drive_state& drive, group_sweep& groups, outbox& offers) noexcept
      : core_(core), drive_(drive), groups_(groups), outbox_(offers) {}

  // Fires the next one that is due; there must be one. `now` is the clock's last reading, and is read again after a
  // run. Calls settle(entry, node) for one that was armed again since it came due, whose entry has left the due queue.
  // Returns false if none has fired.
  template <class Settle>
  bool fire_next(agenda& from, nanoseconds_t& now, Settle&& settle);
  // Fires the timer that is awaited, whose deadline has come. It is awaited no more then. Returns false if another
  // thread has changed it.
  bool fire_awaited(awaited_timer& awaited, nanoseconds_t now);

  // Returns whether the driving thread's next arming comes after all that it has submitted to the queue.
  bool keeps_order() const noexcept {
    // Relaxed: what the driver has not seen of a thread's first critical timer has not been drained either. Asked each
    // time, because a callback may arm the first critical timer.
    return drive_.keeps_order ||
           (core_.options.drive == drive_kind::worker && !core_.critical_in_use.load(base::relaxed));
  }

 private:
  // `again`: another thread has changed the word in between, and the step is to be repeated.
  enum class step : std::uint8_t { fired, nothing, again };

  step fire_armed(agenda& from, const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                  nanoseconds_t& now);
  step fire_period(agenda& from, const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                   nanoseconds_t& now);
  step fire_inline(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline, nanoseconds_t& now);
  step hand_over(agenda& from, const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                 nanoseconds_t& now) noexcept;
  lateness_parts late_at_hand_over(const due_entry& due, nanoseconds_t now) const noexcept;

  engine_core& core_;
  drive_state& drive_;
  group_sweep& groups_;
  outbox& outbox_;
  std::uint32_t hand_overs_ = 0;
};

template <class Settle>
DETENT_ALWAYS_INLINE inline bool trigger::fire_next(agenda& from, nanoseconds_t& now, Settle&& settle) {
  due_entry due;
  if (!from.next(due)) return false;
  node& next = core_.node_at(due.index);
  std::uint64_t word = observe(next.pair);
  for (;;) {
    if (state_word::state(word) == timer_state::cancelled) [[unlikely]] {
      from.drop_if_cancelled(due.index, next);
      return false;
    }
    DETENT_CHECK(state_word::state(word) == timer_state::armed);
    const nanoseconds_t deadline = deadline_of(next.pair);
    if (!from.is_as_due(due, word, deadline)) [[unlikely]] {
      settle(due, next);
      return false;
    }
    const step done = fire_armed(from, due, next, word, deadline, now);
    if (done != step::again) return done == step::fired;
  }
}

// Inlined, because after a sleep each line of code that this runs must come from memory.
DETENT_ALWAYS_INLINE inline bool trigger::fire_awaited(awaited_timer& awaited, nanoseconds_t now) {
  std::uint64_t word = awaited.word;
  if (start_armed(awaited.timer->pair, word, awaited.deadline) == transition::lost) [[unlikely]]
    return false;
  drive_.pass_now = now;
  drive_.split.looked(now);
  node& next = *std::exchange(awaited.timer, nullptr);
  run_as<run_kind::straight, end_reading::first>(
      core_, *drive_.record, {awaited.index, next, awaited.word, awaited.deadline}, now, arrival(drive_.split, 0));
  drive_.split.looked_again(now);
  return true;
}

DETENT_ALWAYS_INLINE inline trigger::step trigger::fire_armed(agenda& from, const due_entry& due, node& next,
                                                              std::uint64_t& word, nanoseconds_t deadline,
                                                              nanoseconds_t& now) {
  next.placed = drive_.pass;  // not again in this pass, even if it is re-armed
  if (core_.runs_straight && (word & state_word::cold) == 0) [[likely]] {
    const std::uint64_t armed = word;
    if (start_armed(next.pair, word, deadline) == transition::lost) [[unlikely]]
      return step::again;
    run_as<run_kind::straight>(core_, *drive_.record, {due.index, next, armed, deadline}, now,
                               arrival(drive_.split, due.taken_up));
    drive_.split.looked_again(now);
    return step::fired;
  }
  // It came due at the end of time, and its group was paused since, so its time is the same. No other member is like
  // this.
  if (due.deadline == forever && !core_.nodes.is_due_by(forever, due.index, word, forever)) [[unlikely]] {
    from.place_again(due.index, next, word, agenda::entering::pass);
    return step::nothing;
  }
  if (core_.runs_straight && (word & state_word::periodic) != 0)
    return fire_period(from, due, next, word, deadline, now);
  return core_.runs_inline ? fire_inline(due, next, word, deadline, now)
                           : hand_over(from, due, next, word, deadline, now);
}

}  // namespace detent::detail
