// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <climits>
#include <cstdint>
#include <thread>

namespace detent::detail {

class turn_port;

// A thread by its number in the system's tools, and by its handle in the thread library.
struct thread_identity {
  std::int32_t number = 0;
  std::thread::native_handle_type handle{};
};

// Says whether an engine is open and which thread drives it, and lets its end wait for that thread. Any thread.
class lifecycle {
 public:
  // In this order. Closed: pending timers fire, and no timer is added.
  enum class phase : std::uint32_t { open, closed, stopping, forked };
  enum class [[nodiscard]] entry : std::uint8_t{
      refused,  // another thread drives already
      open,     // the calling thread drives
      stopped   // it drives, and a stop may be waiting for it to leave
  };

  // Relaxed: a mere answer. A caller that must not miss a stop calls it after a fence that pairs with the one of the
  // stop.
  phase now() const noexcept { return phase_.load(base::relaxed); }
  bool is_open() const noexcept { return now() == phase::open; }
  bool is_over() const noexcept { return now() >= phase::stopping; }

  // --- The end

  // Does nothing once it is closed. Relaxed: a caller that must not miss it hears of it from the thread that closed.
  void close() noexcept {
    phase found = phase::open;
    phase_.compare_exchange_strong(found, phase::closed, base::relaxed, base::relaxed);
  }
  // Returns true for the caller that stops. The others return when it has called finish_stop(), or at once in the child
  // of a fork.
  bool begin_stop() noexcept {
    // (1) seq_cst: pairs with itself, so that one stops; and before (4), with (6) and (7). Failure acquire: as (2).
    for (phase found = phase::open; found < phase::stopping;) {
      if (phase_.compare_exchange_strong(found, phase::stopping, base::seq_cst, base::acquire)) return true;
      if (found == phase::forked) return false;
    }
    while (stop_done_.load(base::acquire) == 0)
      base::futex_wait(stop_done_, 0, forever);  // (2) acquire: pairs with (3)
    return false;
  }
  void finish_stop() noexcept {
    stop_done_.store(1, base::release);  // (3) release: pairs with (2)
    base::futex_wake(stop_done_, INT_MAX);
  }
  // Returns whether that is the thread that stops, from begin_stop() to finish_stop(): it must not wait for itself.
  // Relaxed: it matters only to that thread itself.
  bool is_stopped_by(std::thread::id me) const noexcept { return stopper_.load(base::relaxed) == me; }
  void set_stopper(std::thread::id me) noexcept { stopper_.store(me, base::relaxed); }
  // Called in the child of a fork, whose one thread is `me`: nothing is open any more, and of the parent's threads only
  // the one that forked may be inside. Relaxed: the child has one thread.
  void disown(std::thread::id me) noexcept {
    phase_.store(phase::forked, base::relaxed);
    if (is_driven_by(me)) return;
    driver_.store(std::thread::id{}, base::relaxed);
    drive_.store(nobody, base::relaxed);
  }

  // --- The drive: one thread at a time

  // Relaxed: only whether it is the calling thread, `me`.
  bool is_driven_by(std::thread::id me) const noexcept { return driver_.load(base::relaxed) == me; }
  // The driver's port, for the thread that drives; null for any other. Set once, before any thread drives.
  void set_turn_port(turn_port& drivers) noexcept { turn_port_ = &drivers; }
  turn_port* turn_port_of(std::thread::id me) const noexcept { return is_driven_by(me) ? turn_port_ : nullptr; }
  // A worker begins or ends. Relaxed: the thread that waits for it joins it; the others ask only whether it is
  // themselves.
  void set_worker(std::thread::id worker) noexcept { driver_.store(worker, base::relaxed); }
  // The worker introduces itself before any thread can ask. There is none if a caller drives, and once the engine
  // stops.
  void introduce_worker(thread_identity worker) noexcept { worker_ = worker; }
  thread_identity worker() const noexcept { return is_over() ? thread_identity{} : worker_; }
  // `me` asks to drive. It is refused if another thread drives, or `me` itself does; is_driven_by() says which.
  entry enter_drive(std::thread::id me) noexcept {
    std::uint32_t found = nobody;
    // (6) seq_cst: acquire pairs with (5), so that one caller finds the wheel as another left it; and before (7), with
    // (1) and (4), so that either the stop waits for this drive or this drive sees the stop. Failure relaxed: only
    // distinguished.
    if (!drive_.compare_exchange_strong(found, somebody, base::seq_cst, base::relaxed)) return entry::refused;
    driver_.store(me, base::relaxed);
    // (7) seq_cst: after (6), with (1) and (4).
    return phase_.load(base::seq_cst) < phase::stopping ? entry::open : entry::stopped;
  }
  // A system call only if the stop waits for it. Once the word says that no thread drives, the waiting thread may free
  // everything: the wake-up touches no memory. The kernel takes the address for a number; if that is another object's
  // by now, or freed, the wake-up is a spurious one, which every wait on a futex allows for, or reaches no thread.
  void leave_drive() noexcept {
    driver_.store(std::thread::id{}, base::relaxed);
    // (5) release: pairs with (6), and with (4). A subtraction, as that and the test are two instructions.
    if (drive_.fetch_sub(somebody, base::release) == somebody) [[likely]]
      return;
    drive_.store(nobody, base::release);  // (5)
    base::futex_wake(drive_, 1);
  }
  // Called after begin_stop() by the thread that stops. No thread is inside any more when this returns.
  void wait_for_drive() noexcept {
    std::uint32_t found = somebody;
    // (4) seq_cst: acquire pairs with (5); and after (1), with (6) and (7).
    while (drive_.compare_exchange_strong(found, awaited, base::seq_cst, base::seq_cst) || found == awaited) {
      base::futex_wait(drive_, awaited, forever);
      found = somebody;
    }
  }

 private:
  // The values of drive_. Awaited: a thread drives, and the stop sleeps until it leaves.
  static constexpr std::uint32_t nobody = 0, somebody = 1, awaited = 2;

  base::atomic<phase> phase_{phase::open};
  base::atomic<std::uint32_t> stop_done_{0};
  base::atomic<std::thread::id> stopper_{};
  thread_identity worker_;
  turn_port* turn_port_ = nullptr;
  // On a line of their own: each poll writes them, and each schedule reads the phase.
  alignas(64) base::atomic<std::uint32_t> drive_{nobody};  // of a caller; a worker is joined
  base::atomic<std::thread::id> driver_{};
};

}  // namespace detent::detail
