// SPDX-License-Identifier: MIT
// A pass: timers that have come due fire, in order.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/agendas.hpp"
#include "driver/critical_pass.hpp"
#include "driver/drain_port.hpp"
#include "driver/outbox.hpp"
#include "driver/trigger.hpp"

namespace detent::detail {

// Used by the driver alone.
class expiry {
 public:
  expiry(engine_core& core, drive_state& drive, agendas& known, outbox& offers, trigger& fires, critical_pass& critical,
         drain_port& entries, intake<drain_port>& drains) noexcept
      : core_(core),
        in_(core.in),
        drive_(drive),
        agendas_(known),
        outbox_(offers),
        trigger_(fires),
        critical_(critical),
        entries_(entries),
        intake_(drains),
        between_(critical.between_steps()) {}

  // Fires or hands over what is due at `now`, at most `max_callbacks`; returns how many.
  std::size_t fire_pass(nanoseconds_t now, std::size_t max_callbacks, bool polling);
  // Called before the end of a wait until then: takes out the timer that the wait is for, if that can fire without a
  // pass. fire_awaited(), or give_up_awaited() of the bulk, must follow before anything else.
  void await(nanoseconds_t until) noexcept;
  // The wait has ended at that time: fires the timer at once. `now` is a certain reading. Returns false if nothing has
  // fired, and a pass must look.
  bool fire_awaited(nanoseconds_t now) noexcept;

 private:
  DETENT_NOINLINE std::size_t fire_due(nanoseconds_t now, std::size_t max_callbacks);
  bool fire_next(nanoseconds_t& now);
  bool look_between(nanoseconds_t& now, std::size_t fired);
  void drain_in_poll() noexcept;
  void accept_what_came_before() noexcept;
  void settle(const due_entry& due, node& restarted) noexcept;

  engine_core& core_;
  const driver_end in_;
  drive_state& drive_;
  agendas& agendas_;
  outbox& outbox_;
  trigger& trigger_;
  critical_pass& critical_;
  drain_port& entries_;
  intake<drain_port>& intake_;
  const interlude between_;
  // In this pass: interruptions by critical timers, and entries that were submitted before a restarted timer.
  int interruptions_ = 0, settled_ = 0;
};

}  // namespace detent::detail
