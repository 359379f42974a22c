// SPDX-License-Identifier: MIT
// How a producer wakes the driver without a lost wake-up: a Dekker handshake of a store and a load with an asymmetric
// fence, cf. folly::asymmetric_thread_fence; used like an eventcount.
//
//   producer                                  driver, before it waits
//     push the entry                            raise the wake time, W
//     (fence)                                   (fence)
//     read W; earlier? ring                     clear the bell
//                                               (full fence)
//                                               drain everything submitted; read `closed`
//                                               something earlier came? lower W, needs no fence
//                                               sleep, unless the bell rang since it was cleared
//
// Of any push and any raise of W, one side sees the other: the fences forbid that both miss. If W stays or falls there
// is nothing to miss, because an earlier deadline has rung. Ringing twice is harmless, so every condition to ring is
// OR-ed.
//
// The pair of fences around W is symmetric at first, a full one on either side. While pushes are many and raises few,
// the driver takes the cost of both sides: producers then pass a light fence, and each raise a heavy one. If the kernel
// comes to refuse that, the pair is symmetric again for good.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>

namespace detent::detail {

// Producers read the wake time on every push, and the bell changes with every wake, so each has a cache line.
class doorbell {
 public:
  enum class ring_result : std::uint8_t {
    rang,          // the driver drains before it waits, or is being woken
    rang_already,  // and has not been answered yet
    needs_signal   // the driver waits outside, on its wake_fd: the caller signals it
  };

  // --- Producers, after the push, in this order. ---

  // Orders the push before the reads of W and of whether the engine is stopping.
  void fence_push() const noexcept {
    // (9) Relaxed: a thread that still reads `light` after begin_symmetric() has pushed before that call's heavy fence.
    if (asymmetric_.load(base::relaxed)) {
      base::light_fence();  // pairs with the heavy ones of fence_driver(), begin_symmetric() and fence_stop()
    } else {
      base::full_fence();  // pairs with the full ones of fence_driver() and fence_stop()
    }
  }

  // Returns whether a deadline needs a ring. Relaxed: the fence before it orders it after the push, and pairs with the
  // one of raise(); a value that a lowering has made stale only rings once too often.
  bool earlier_than_wake(nanoseconds_t deadline) const noexcept { return deadline < wake_time_.load(base::relaxed); }

  // For a deadline before W: a complete drain is then pending. (13) release: pairs with (14), so that the drain sees
  // the push. It is written even if an earlier deadline stays, so that one mark which covers another passes on both
  // pushes.
  ring_result ring_for_earlier(nanoseconds_t deadline) noexcept {
    nanoseconds_t earliest = earliest_.load(base::relaxed);  // relaxed: (13) confirms it
    while (!earliest_.compare_exchange_weak(earliest, std::min({earliest, deadline, nothing - 1}), base::release,
                                            base::relaxed)) {
    }
    return ring();
  }

  ring_result ring() noexcept {
    base::full_fence();  // (10) pairs with (8)
    // Relaxed: after the fence. If the bell still reads rung, its clearing comes after this in the order of the fences,
    // and the drain after that clearing sees the push.
    if (bell_.load(base::relaxed) == rung) return ring_result::rang_already;
    // (1) acq_rel: release pairs with (2), (3) and (4) of the driver, which then drains what was pushed.
    std::uint32_t was = bell_.exchange(rung, base::acq_rel);
    if (was == sleeping) base::futex_wake(bell_, 1);
    if (was == outside) return ring_result::needs_signal;
    return was == rung ? ring_result::rang_already : ring_result::rang;
  }

  // --- The driver. ---

  // Announces a longer wait than before; a complete drain must follow.
  void raise(nanoseconds_t wake_time) noexcept {
    wake_time_.store(wake_time, base::relaxed);  // relaxed: the fence orders it before the drain
    fence_driver();
  }
  // Orders the driver's announcements before the drains that follow.
  void fence_driver() noexcept {
    // Relaxed: only this thread changes it. (7) pairs with fence_push().
    if (!asymmetric_.load(base::relaxed)) {
      base::full_fence();
    } else if (!base::heavy_fence()) {
      do_without();
    }
  }
  // From the next raise on the driver pays for the producers' fences, if that was allowed and has not been refused.
  // Relaxed: a producer that does not know yet has one fence too many.
  void begin_asymmetric() noexcept { asymmetric_.store(may_be_asymmetric(), base::relaxed); }
  // All producers pay again. A push under a light fence lies before the heavy one here, and the complete drain
  // of a raise that follows sees it.
  void begin_symmetric() noexcept {
    asymmetric_.store(false, base::relaxed);  // relaxed: the fence orders it before the next raise
    if (!base::heavy_fence()) do_without();   // (11) pairs with the light one of fence_push()
  }
  bool asymmetric() const noexcept { return asymmetric_.load(base::relaxed); }  // relaxed: its own value
  bool may_be_asymmetric() const noexcept { return heavy_fence_ && !refused_; }
  // To be called before another thread has the bell: says whether base::heavy_fence() may be used.
  void allow_asymmetric(bool allowed) noexcept { heavy_fence_ = allowed; }

  // Only moves to an earlier time. Relaxed: a producer that reads the later one rings once too often, not too seldom.
  void lower(nanoseconds_t wake_time) noexcept { wake_time_.store(wake_time, base::relaxed); }
  nanoseconds_t wake_time() const noexcept { return wake_time_.load(base::relaxed); }  // relaxed: its own value

  // Returns whether it has rung since clear(). (2) acquire: pairs with (1).
  bool has_rung() const noexcept { return bell_.load(base::acquire) == rung; }
  // To be called before the drain that answers the rings, never after it. (3) acquire: pairs with (1).
  void clear() noexcept {
    bell_.exchange(quiet, base::acq_rel);
    base::full_fence();  // (8) pairs with (10)
  }
  // Takes note of a ring, before the drain that answers it. Returns the earliest deadline that was rung for, if any;
  // the drain must then be a complete one.
  std::optional<nanoseconds_t> answer() noexcept {
    if (!has_rung()) return std::nullopt;
    clear();
    // Relaxed: after the fence in clear(), so that it sees the mark of a producer that found the bell still rung.
    if (earliest_.load(base::relaxed) == nothing) return std::nullopt;
    // (14) acquire: pairs with (13): a producer whose mark is taken here may ring later, and that ring then asks for
    // nothing.
    return earliest_.exchange(nothing, base::acquire);
  }
  // Sleeps until a ring or until `deadline`. Returns false if it had rung already, and there was no sleep.
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
  // Called by the thread that stops the engine, between its mark and its scan of the timers: (12) pairs with
  // fence_push().
  void fence_stop() const noexcept {
    if (!heavy_fence_) {
      base::full_fence();
    } else if (!base::heavy_fence()) {
      base::waiting_fence();  // (12)
    }
  }

  // The driver goes to wait on its wake_fd, or has been there all the time. Returns false if it has rung since clear(),
  // and the caller makes the fd readable.
  bool go_outside() noexcept {
    std::uint32_t expected = quiet;
    return bell_.compare_exchange_strong(expected, outside, base::acq_rel, base::acquire) ||  // (6) as (4)
           expected == outside;
  }

 private:
  // The kernel has refused a heavy fence. From now on all producers pay, and this once there is a wait for what was
  // pushed under a light one.
  void do_without() noexcept {
    refused_ = true;
    asymmetric_.store(false, base::relaxed);  // relaxed: the fence orders it before the next raise
    base::waiting_fence();                    // (7) and (11), in place of the heavy one
  }

  static constexpr nanoseconds_t nothing = forever;
  static constexpr std::uint32_t quiet = 0, rung = 1, sleeping = 2, outside = 3;

  // Forever at first, so any entry before the driver's first drain is earlier, and rings.
  alignas(64) base::atomic<nanoseconds_t> wake_time_{forever};
  base::atomic<bool> asymmetric_{false};
  bool heavy_fence_ = false;
  bool refused_ = false;  // the driver's
  alignas(64) base::atomic<std::uint32_t> bell_{quiet};
  base::atomic<nanoseconds_t> earliest_{nothing};  // that was rung for
};

}  // namespace detent::detail
