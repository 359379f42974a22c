// SPDX-License-Identifier: MIT
#pragma once

#include <detent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace detent {

namespace detail {
class engine_core;
}

// A timer that came due and was handed over. Calling it runs the callback, unless cancel() or restart won meanwhile;
// destroyed uncalled, the timer is dropped and counted. May outlive its engine, and then does nothing.
class fired_timer {
 public:
  fired_timer(fired_timer&& other) noexcept
      : core_(std::exchange(other.core_, nullptr)),
        word_(other.word_),
        handed_over_(other.handed_over_),
        index_(other.index_) {}
  fired_timer& operator=(fired_timer&& other) noexcept;
  ~fired_timer();

  // Any thread; at most once. Exceptions of the callback go to the engine's on_error.
  void operator()() noexcept;

 private:
  friend class detail::engine_core;
  fired_timer(detail::engine_core& core, std::uint32_t index, std::uint64_t word, detail::nanoseconds_t now) noexcept;

  detail::engine_core* core_;  // a counted reference; null once called or moved from
  std::uint64_t word_;         // the state word at the hand-over: any later arming differs from it
  detail::nanoseconds_t handed_over_;
  std::uint32_t index_;
};

// Where callbacks run when it is not the worker itself.
class executor {
 public:
  virtual ~executor() = default;
  // Called on the engine's thread, in deadline order. False: not taken, `work` untouched; engine_options.on_refusal
  // then says what happens.
  virtual bool execute(fired_timer&& work) noexcept = 0;
  // The same for what came due together: takes from the front, says how many, and leaves the rest untouched. By default
  // one by one; worth overriding where taking many costs little more than taking one. In poll() always one by one.
  virtual std::size_t execute_many(std::span<fired_timer> work) noexcept {
    std::size_t taken = 0;
    while (taken < work.size() && execute(std::move(work[taken]))) ++taken;
    return taken;
  }
};

}  // namespace detent
