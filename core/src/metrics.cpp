// SPDX-License-Identifier: MIT
#include "engine_core.hpp"

namespace detent::detail {

// Ends are read before beginnings, so that no timer is counted as ended but not as begun.
std::size_t engine_core::pending() const noexcept {
  std::uint64_t ends = threads_.total(counter::cancelled) + threads_.total(counter::returned) +
                       threads_.total(counter::dropped) + threads_.total(counter::started_last);
  std::uint64_t beginnings = threads_.total(counter::scheduled) + threads_.total(counter::revived);
  return static_cast<std::size_t>(beginnings - ends);
}

engine_metrics engine_core::metrics() const {
  engine_metrics told;
  told.expired = threads_.total(counter::expired);
  told.cancelled = threads_.total(counter::cancelled) + threads_.total(counter::cancelled_running);
  told.returned = threads_.total(counter::returned);
  told.dropped = threads_.total(counter::dropped);
  told.pending = pending();
  told.scheduled = threads_.total(counter::scheduled);
  told.fired = threads_.total(counter::fired);
  told.restarted = threads_.total(counter::restarted);
  told.refused = threads_.total(counter::refused);
  told.failed = threads_.total(counter::failed);
  told.boxed = threads_.total(counter::boxed);
  told.wakeups = waiter_.wakeups();
  told.drains = threads_.total(counter::drains);
  told.drained = threads_.total(counter::drained);
  told.rings = threads_.total(counter::rings);
  told.backlog = queue_.size_approx();
  told.retired = threads_.total(counter::retired);
  told.lateness = lateness_.snapshot();
  return told;
}

}  // namespace detent::detail
