// SPDX-License-Identifier: MIT
// From the queue of critical timers to their agenda.
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/agenda.hpp"
#include "driver/driver_end.hpp"
#include "driver/intake.hpp"

namespace detent::detail {

// Used by the driver alone.
class critical_drain {
 public:
  critical_drain(engine_core& core, drive_state& drive, critical_agenda& to) noexcept
      : core_(core), in_(core.in), drive_(drive), agenda_(to) {}

  // Accepts what was submitted before the call, and from a flood not much more than as much again. A few instructions
  // if there is nothing.
  drained drain() noexcept { return drain(false); }
  // A drain that ends early when something is due on the agenda.
  drained drain_until_due() noexcept { return drain(true); }

 private:
  drained drain(bool until_due) noexcept {
    forget_idle();
    const std::size_t submitted = in_.critical().size();
    return submitted == 0 ? drained{false, true} : drain_much(submitted, until_due);
  }
  DETENT_NOINLINE drained drain_much(std::size_t submitted, bool until_due) noexcept;
  void note(std::size_t count) noexcept;
  void accept(std::uint64_t entry) noexcept;
  // Many threads may once have armed a critical timer, and each visit of an idle producer costs something.
  void forget_idle() noexcept {
    if (in_.critical().is_forgetting_due(false)) [[unlikely]]
      forget();
  }
  DETENT_NOINLINE void forget() noexcept;

  engine_core& core_;
  const driver_end in_;
  drive_state& drive_;
  critical_agenda& agenda_;
};

}  // namespace detent::detail
