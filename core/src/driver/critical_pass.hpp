// SPDX-License-Identifier: MIT
// Timers that are due in the higher lanes fire before the bulk, and do not wait for the end of its long steps.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/agendas.hpp"
#include "driver/driver_end.hpp"
#include "driver/intake.hpp"
#include "driver/trigger.hpp"
#include "threads/driver_port.hpp"
#include "wheel/interlude.hpp"

namespace detent::detail {

// Counts entries that were taken out of a queue in one go.
void note_drain(engine_core& core, drive_state& drive, std::size_t count) noexcept;

// Used by the driver alone. It has the critical queue and the critical agendas. It reaches nothing of the bulk, so it
// may be called in the middle of any step of the bulk.
class critical_pass {
 public:
  // `port` is the right to touch the wheels, which no callback has during an interlude.
  critical_pass(engine_core& core, driver_port& port, drive_state& drive, critical_agendas& known, trigger& fires,
                outbox& offers) noexcept
      : core_(core), in_(core.in), port_(port), drive_(drive), agendas_(known), trigger_(fires), outbox_(offers) {}

  // Accepts what was submitted before the call, and from a flood not much more than as much again. A few instructions
  // if there is nothing. If `until_due`, ends early when something is due in a wheel.
  drained drain(bool until_due = false) noexcept {
    // Many threads may once have armed a critical timer, and each visit of an idle producer costs something.
    if (in_.critical().is_forgetting_due(false)) [[unlikely]]
      forget();
    const std::size_t submitted = in_.critical().size();
    return submitted == 0 ? drained{false, true} : drain_much(submitted, until_due);
  }
  bool has_due() noexcept { return agendas_.has_due(); }
  // Accepts what was submitted, and makes the timers that are due at `now` fire next. Returns false if nothing has come
  // due since the last time.
  bool collect(nanoseconds_t now) noexcept;
  // Fires the next one that is due, as has_due() has found. `now` is the clock's last reading, and is read again after
  // a run. Returns false if none has fired.
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
  DETENT_NOINLINE drained drain_much(std::size_t submitted, bool until_due) noexcept;
  void accept(std::uint64_t entry) noexcept;
  DETENT_NOINLINE void forget() noexcept;

  engine_core& core_;
  const driver_end in_;
  driver_port& port_;
  drive_state& drive_;
  critical_agendas& agendas_;
  trigger& trigger_;
  outbox& outbox_;
};

}  // namespace detent::detail
