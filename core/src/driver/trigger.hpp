// SPDX-License-Identifier: MIT
// Firing one timer that is due: its callback runs here, or it goes to an executor.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/agenda.hpp"
#include "driver/outbox.hpp"

namespace detent::detail {

// Used by the driver alone. The agenda is the one that the timer is on.
class trigger {
 public:
  trigger(engine_core& core, drive_state& drive, group_sweep& groups, outbox& offers) noexcept
      : core_(core), drive_(drive), groups_(groups), outbox_(offers) {}

  // Fires the next one that is due; there must be one. `now` is the clock's last reading, and is read again after a
  // run. Calls settle(entry, node) for one that was armed again since it came due, whose entry has left the due queue.
  // Returns false if none has fired.
  template <class Agenda, class Settle>
  bool fire_next(Agenda& from, nanoseconds_t& now, Settle&& settle);
  // Fires a timer that was taken out of the wheel before its deadline, which has come. It is awaited no more then.
  // Returns false if another thread has changed it.
  bool fire_awaited(awaited_timer& awaited, nanoseconds_t now);

  // Returns whether the driving thread's next arming comes after all that it has submitted to the queue.
  bool keeps_order() const noexcept {
    // Relaxed: what the driver has not seen of a thread's first critical timer has not been drained either. Asked each
    // time, because a callback may arm the first critical timer.
    return drive_.keeps_order ||
           (core_.options.drive == drive_kind::worker && !core_.critical_in_use.load(base::relaxed));
  }

 private:
  enum class step : std::uint8_t { fired, nothing, again };

  template <class Agenda>
  step fire_armed(Agenda& from, const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                  nanoseconds_t& now);
  template <class Agenda>
  DETENT_NOINLINE step fire_period(Agenda& from, const due_entry& due, node& next, std::uint64_t& word,
                                   nanoseconds_t deadline, nanoseconds_t& now);
  step fire_inline(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline, nanoseconds_t& now);
  template <class Agenda>
  step hand_over(Agenda& from, const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                 nanoseconds_t& now) noexcept;
  lateness_parts late_at_hand_over(const due_entry& due, nanoseconds_t now) const noexcept;

  engine_core& core_;
  drive_state& drive_;
  group_sweep& groups_;
  outbox& outbox_;
  std::uint32_t hand_overs_ = 0;
};

}  // namespace detent::detail
