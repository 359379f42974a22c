// SPDX-License-Identifier: MIT
// How a producer wakes the thread that turns the wheel, and how that thread may sleep without missing anybody.
//
//   producer                                  driver, before it waits
//     push the entry                            publish the wake time, W
//     (full fence)                              (full fence)
//     read W; earlier? ring                     clear the bell
//                                               (full fence)
//                                               take up everything submitted; read `closed`
//                                               something earlier came? lower W, needs no fence
//                                               sleep, unless the bell rang since it was cleared
//
// Of any push and any raise of W, one side sees the other: the fences forbid that both miss. Ringing twice is harmless,
// so every condition to ring is OR-ed.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <climits>
#include <cstdint>

namespace detent::detail {

// Producers read the wake time on every push; the bell changes with every wake: a line each.
class doorbell {
 public:
  enum class ring_result : std::uint8_t {
    rang,          // the driver looks before it waits, or is being woken
    rang_already,  // and has not been answered yet
    needs_signal   // the driver waits outside, on its wake_fd: the caller signals it
  };

  // --- Producers. After the push and full_fence(). ---

  // Whether a deadline needs a ring. Relaxed: the fence before it orders it behind the push, and pairs with the one of
  // publish(); a value that is stale by a lowering only rings once too often.
  bool earlier_than_wake(nanoseconds_t deadline) const noexcept { return deadline < wake_time_.load(base::relaxed); }

  ring_result ring() noexcept {
    // Relaxed: after the caller's fence. If the bell still reads rung, its clearing comes after this in the order of
    // the fences, and the drain behind that clearing sees the push.
    if (bell_.load(base::relaxed) == rung) return ring_result::rang_already;
    // (1) acq_rel: release pairs with (2), (3) and (4) of the driver, which then drains what was pushed.
    std::uint32_t was = bell_.exchange(rung, base::acq_rel);
    if (was == sleeping) base::futex_wake(bell_, 1);
    if (was == outside) return ring_result::needs_signal;
    return was == rung ? ring_result::rang_already : ring_result::rang;
  }

  // --- The driver. ---

  // Announces until when it will wait; raising it needs the fence and the complete drain that follow it.
  void publish(nanoseconds_t wake_time) noexcept {
    wake_time_.store(wake_time, base::relaxed);  // relaxed: the fence orders it before the drain
    base::full_fence();                          // (7) pairs with the producer's, between its push and its look at W
  }
  // Only ever to an earlier time. Relaxed: a producer that reads the later one rings once too often, not too seldom.
  void lower(nanoseconds_t wake_time) noexcept { wake_time_.store(wake_time, base::relaxed); }
  nanoseconds_t wake_time() const noexcept { return wake_time_.load(base::relaxed); }  // relaxed: its own value

  // Whether somebody rang since clear(). (2) acquire: pairs with (1).
  bool has_rung() const noexcept { return bell_.load(base::acquire) == rung; }
  // Before the drain that answers the rings, never after it. (3) acquire: pairs with (1).
  void clear() noexcept {
    bell_.exchange(quiet, base::acq_rel);
    base::full_fence();  // (8) pairs with the producer's, between its push and its look at the bell
  }
  // Sleeps until a ring or until `deadline`. False: it had rung already, and nobody slept.
  bool sleep(nanoseconds_t deadline) noexcept {
    std::uint32_t expected = quiet;
    // (4) acquire on failure: pairs with (1). The word itself decides: a ring before this is seen here, one after it
    // finds `sleeping` and wakes.
    if (!bell_.compare_exchange_strong(expected, sleeping, base::acq_rel, base::acquire)) return false;
    base::futex_wait(bell_, sleeping, deadline);
    expected = sleeping;
    bell_.compare_exchange_strong(expected, quiet, base::acq_rel, base::acquire);  // (5) fails if rung: stays rung
    return true;
  }
  // The driver goes to wait on its wake_fd. False: it has rung since clear(), and the caller makes the fd readable.
  bool go_outside() noexcept {
    std::uint32_t expected = quiet;
    return bell_.compare_exchange_strong(expected, outside, base::acq_rel, base::acquire);  // (6) as (4)
  }

 private:
  static constexpr std::uint32_t quiet = 0, rung = 1, sleeping = 2, outside = 3;

  // Forever at first: whatever is submitted before the driver's first look is earlier, and rings.
  alignas(64) base::atomic<nanoseconds_t> wake_time_{forever};
  alignas(64) base::atomic<std::uint32_t> bell_{quiet};
};

}  // namespace detent::detail
