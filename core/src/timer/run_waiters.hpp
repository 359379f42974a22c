// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/time.hpp>
#include "timer/state_word.hpp"

#include <climits>
#include <cstdint>

namespace detent::detail {

// Lets a thread wait until a run has ended. Any thread; the end of a run makes a system call only if a thread waits for
// it.
class run_waiters {
 public:
  // Returns when the timer's run in that generation has ended, or goes on to be pending again. The caller then sees
  // what the run did. Returns at once if it does not run.
  void wait(timer_pair& running, std::uint32_t generation) noexcept {
    for (;;) {
      const std::uint32_t ended = count_.load(base::acquire);  // (1) acquire: pairs with (2)
      std::uint64_t word = observe(running);
      if (state_word::generation(word) != generation || !mark_waiter(running, word)) return;
      if (state_word::generation(word) != generation) return;
      base::futex_wait(count_, ended, forever);
    }
  }
  // To be called after the transition that ended a run, if its word had the mark of a waiting thread.
  void notify() noexcept {
    count_.fetch_add(1, base::release);  // (2) release: pairs with (1)
    base::futex_wake(count_, INT_MAX);
  }

  // Annotates for ThreadSanitizer (base/thread_sanitizer.hpp), before the transition that ends a run of the node at
  // `over`: for its next run, for threads that wait for it, and for threads that wait for all runs.
  void show_end(const void* over) const noexcept {
    if (base::is_watched_from_outside()) [[unlikely]]
      show(over);
  }
  // The calling thread knows in some other way which runs have ended, and may use what they did.
  void see_ends() const noexcept { base::show_acquire(this); }
  // A stop has ended, for the other threads that wait for it.
  void show_stop() const noexcept { base::show_release(this); }

 private:
  DETENT_NOINLINE DETENT_COLD void show(const void* over) const noexcept {
    base::show_release(over);
    base::show_release(this);
  }

  base::atomic<std::uint32_t> count_{0};  // ends that a thread waited for
};

}  // namespace detent::detail
