// SPDX-License-Identifier: MIT
// A producer's steps around a push, so that the driver processes the entry in time: doorbell.hpp says why.
#pragma once

#include "submission/doorbell.hpp"

namespace detent::detail {

// Asks the driver to scan every node, because an entry could not be pushed.
class rescan_request {
 public:
  // (1) release: pairs with (2), because the driver may find it before the ring that follows. An exchange, so that one
  // which comes after another passes on both nodes.
  void make() noexcept { made_.exchange(true, base::release); }
  // Relaxed: the thread that made it is only promised the next scan.
  bool is_made() const noexcept { return made_.load(base::relaxed); }
  // To be called before the scan of the nodes. (2) acquire: pairs with (1).
  bool take() noexcept { return is_made() && made_.exchange(false, base::acquire); }

 private:
  base::atomic<bool> made_{false};
};

// Called after a push; `pushed` is false if there was no memory for the entry. Returns true if the caller must ring for
// the deadline by which the entry must be processed. The caller's checks whether the engine stops come after the push.
// mark() marks the producer, and returns true if it was not marked before (pushers.hpp).
template <class Mark>
[[nodiscard]] bool has_to_ring(const doorbell& bell, rescan_request& rescan, nanoseconds_t deadline, bool pushed,
                               Mark&& mark) noexcept {
  if (!pushed) [[unlikely]]
    rescan.make();
  bell.fence_push();
  if (mark()) [[unlikely]]
    bell.fence_push();
  return !pushed || bell.earlier_than_wake(deadline);
}

// Called after a push that announced no deadline, because the timer's group was paused. look() returns its deadline by
// now, or forever. Either the drain that a resumption requests finds the entry, or look() finds the group resumed.
template <class Look, class Ring>
void ring_if_resumed(Look&& look, Ring&& ring) noexcept {
  base::full_fence();  // (3) pairs with (9) of group_state::resume()
  const nanoseconds_t deadline = look();
  if (deadline != forever) ring(deadline);
}

}  // namespace detent::detail
