// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <climits>
#include <cstdint>
#include <thread>

namespace detent::detail {

// Whether an engine is open, who turns its wheel, and how its end waits for that. Any thread.
class lifecycle {
 public:
  enum class phase : std::uint32_t { open, stopping, forked };
  enum class [[nodiscard]] entry : std::uint8_t{
      refused,  // somebody drives already
      open,     // the calling thread drives
      stopped   // it does, and a stop may be waiting for it to leave
  };

  // Relaxed: a mere answer. Whoever must not miss a stop asks behind a fence that pairs with the one of the stop.
  phase now() const noexcept { return phase_.load(base::relaxed); }
  bool is_open() const noexcept { return now() == phase::open; }

  // --- The end

  // True for the one that stops; the others return when it has called finish_stop(), or at once in the child of a fork.
  bool begin_stop() noexcept {
    phase found = phase::open;
    // (1) seq_cst: pairs with itself, so that one stops; and before (4), with (6) and (7). Failure acquire: as (2).
    if (phase_.compare_exchange_strong(found, phase::stopping, base::seq_cst, base::acquire)) return true;
    if (found == phase::forked) return false;
    while (stop_done_.load(base::acquire) == 0)
      base::futex_wait(stop_done_, 0, forever);  // (2) acquire: pairs with (3)
    return false;
  }
  void finish_stop() noexcept {
    stop_done_.store(1, base::release);  // (3) release: pairs with (2)
    base::futex_wake(stop_done_, INT_MAX);
  }
  // The thread that stops, from begin_stop() to finish_stop(): it must not wait for itself. Relaxed: only whether it is
  // the calling thread.
  bool is_stopped_by(std::thread::id me) const noexcept { return stopper_.load(base::relaxed) == me; }
  void set_stopper(std::thread::id me) noexcept { stopper_.store(me, base::relaxed); }
  // In the child of a fork: nothing is open any more. Relaxed: the child has one thread.
  void disown() noexcept { phase_.store(phase::forked, base::relaxed); }

  // --- The drive: one thread at a time

  // Relaxed: only whether it is the calling thread, `me`.
  bool is_driven_by(std::thread::id me) const noexcept { return driver_.load(base::relaxed) == me; }
  // A worker begins or ends. Relaxed: who waits for it joins it; the others only ask whether it is themselves.
  void set_worker(std::thread::id worker) noexcept { driver_.store(worker, base::relaxed); }
  // `me` is to drive. Refused: `found` does.
  entry enter_drive(std::thread::id me, std::thread::id& found) noexcept {
    found = {};
    // (6) seq_cst: acquire pairs with (5), so that one caller finds the wheel as another left it; and before (7), with
    // (1) and (4), so that either the stop waits for this drive or this drive sees the stop. Failure relaxed: only told
    // apart.
    if (!driver_.compare_exchange_strong(found, me, base::seq_cst, base::relaxed)) return entry::refused;
    // (7) seq_cst: behind (6), with (1) and (4).
    return phase_.load(base::seq_cst) == phase::open ? entry::open : entry::stopped;
  }
  // Whoever waits may free everything from here on.
  void leave_drive() noexcept {
    driver_.store(std::thread::id{}, base::release);  // (5) release: pairs with (6), and with (4)
  }
  // Behind begin_stop(): nobody is inside any more. pause() is between two looks.
  template <class Pause>
  void wait_for_drive(Pause pause) const noexcept {
    // (4) seq_cst: acquire pairs with (5); and behind (1), with (6) and (7).
    while (driver_.load(base::seq_cst) != std::thread::id{}) pause();
  }

 private:
  base::atomic<phase> phase_{phase::open};
  base::atomic<std::uint32_t> stop_done_{0};
  base::atomic<std::thread::id> stopper_{};
  alignas(64) base::atomic<std::thread::id> driver_{};  // apart: each poll writes it, and each schedule reads the phase
};

}  // namespace detent::detail
