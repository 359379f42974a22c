// SPDX-License-Identifier: MIT
// A worker's loop, as a template, so that the explorer of interleavings compiles the same one (tests/README.md).
#pragma once

#include <detent/time.hpp>

#include <optional>

namespace detent::detail {

// Turns until is_over(). Of `Driver`:
//   bool is_over()
//   void answer_bell()
//   bool has_to_drain()            a drain is pending, or the wake time has come
//   void drain_before_firing()
//   void sweep()                   the members of groups that ask for it
//   void fire(now), fire_due()     what is due at a reading that has reached its deadline; or by now, and what else is
//                                  to be done once a turn
//   std::optional<nanoseconds_t> wait()    a reading that has reached the next deadline; none: there is other work
template <class Driver>
void drive_until_over(Driver& driver) {
  std::optional<nanoseconds_t> reached;  // a reading that has reached the deadline waited for
  while (!driver.is_over()) {
    // Timers that are known already come first: they are due this very instant.
    if (reached) driver.fire(*reached);
    driver.answer_bell();
    // Woken for the backlog alone, it leaves what is likely to be cancelled soon where it is.
    if (driver.has_to_drain()) driver.drain_before_firing();
    driver.sweep();
    driver.fire_due();
    reached = driver.is_over() ? std::nullopt : driver.wait();
  }
}

}  // namespace detent::detail
