// SPDX-License-Identifier: MIT
// Decides which side frees a thread's record of an engine when either may end first: one word per (thread, engine).
//
//   vacant --adopt--> both --leave--> flushing --left--> vacant
//                      |                 | the engine's end waits for this to pass
//                      |                 +--> awaited --left--> vacant
//                      +--engine_gone (the thread frees the record when it finds out)
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <cstdint>

namespace detent::detail {

class thread_link {
 public:
  // A new record belongs to the thread that made it.
  thread_link() noexcept : state_(both) {}

  // A thread takes over the record that another left. (1) acquire: pairs with (3), so that it sees the record as left.
  bool adopt() noexcept {
    std::uint32_t expected = vacant;
    return state_.load(base::relaxed) == vacant &&  // relaxed: only a hint, the exchange decides
           state_.compare_exchange_strong(expected, both, base::acquire, base::relaxed);
  }

  // The thread ends. Returns false if the engine has ended, and then the thread must free the record. Otherwise the
  // thread may touch the engine until left(). (2) acquire on failure: pairs with (4).
  bool leave() noexcept {
    std::uint32_t expected = both;
    return state_.compare_exchange_strong(expected, flushing, base::acquire, base::acquire);
  }
  // Makes a system call only if the engine's end waits for it. The engine's end may free the record from the exchange
  // on. So the wake-up touches no memory, and is a spurious one for the address's next owner (lifecycle.hpp,
  // leave_drive()).
  void left() noexcept {
    if (state_.exchange(vacant, base::release) == awaited)  // (3) release: pairs with (1) and (5)
      base::futex_wake(state_, 1);
  }

  // Returns whether the engine has ended, for the thread that owns the record. (4a) acquire: pairs with (4).
  bool engine_gone() const noexcept { return state_.load(base::acquire) == gone; }

  // The engine ends. Returns true if no thread has the record; then the engine must free it. Waits while a thread is
  // leaving.
  bool end_engine() noexcept {
    std::uint32_t state = state_.load(base::acquire);  // (5) acquire: pairs with (3)
    while (state != vacant) {
      if (state == awaited) {
        base::futex_wait(state_, awaited, forever);
        state = state_.load(base::acquire);  // (5)
      } else if (state == flushing) {
        // (5) acquire on failure; on success nothing is read, but compilers want an order that is no weaker.
        if (state_.compare_exchange_strong(state, awaited, base::acquire, base::acquire)) state = awaited;
      } else if (state_.compare_exchange_strong(state, gone, base::release,
                                                base::acquire)) {  // (4) release: with (2), (4a)
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t both = 0, flushing = 1, vacant = 2, gone = 3, awaited = 4;
  base::atomic<std::uint32_t> state_;
};

}  // namespace detent::detail
