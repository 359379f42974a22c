// SPDX-License-Identifier: MIT
// Timers that are due in the higher lanes fire before the bulk, and do not wait for the end of its long steps.
#pragma once

#include "driver/critical_drain.hpp"
#include "driver/trigger.hpp"
#include "threads/driver_port.hpp"
#include "wheel/interlude.hpp"

namespace detent::detail {

// Used by the driver alone. It has the critical queue and the critical agenda. It reaches nothing of the bulk, so it
// may be called in the middle of any step of the bulk.
class critical_pass {
 public:
  // `port` is the right to touch the wheels, which no callback has during an interlude.
  critical_pass(engine_core& core, driver_port& port, drive_state& drive, critical_agenda& known, trigger& fires,
                outbox& offers) noexcept
      : core_(core),
        port_(port),
        drive_(drive),
        agenda_(known),
        entries_(core, drive, known),
        trigger_(fires),
        outbox_(offers) {}

  drained drain() noexcept { return entries_.drain(); }
  drained drain_until_due() noexcept { return entries_.drain_until_due(); }
  bool has_due() const noexcept { return agenda_.has_due(); }
  // Accepts what was submitted, and makes the timers that are due at `now` fire next. Returns false if nothing has come
  // due since the last time.
  bool collect(nanoseconds_t now) noexcept;
  // Fires the next one that is due; there must be one. `now` is the clock's last reading, and is read again after a
  // run. Returns false if none has fired.
  bool fire_next(nanoseconds_t& now);

  // Called in the middle of a step of the bulk: fires what is due. Its callbacks submit what they schedule, restart and
  // cancel, as other threads do.
  interlude between_steps() noexcept {
    return {[](void* self) noexcept { static_cast<critical_pass*>(self)->interrupt(); }, this};
  }

 private:
  void interrupt() noexcept;
  bool expire(nanoseconds_t now) noexcept;
  void settle(const due_entry& due, node& restarted) noexcept;

  engine_core& core_;
  driver_port& port_;
  drive_state& drive_;
  critical_agenda& agenda_;
  critical_drain entries_;
  trigger& trigger_;
  outbox& outbox_;
};

}  // namespace detent::detail
