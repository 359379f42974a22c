// SPDX-License-Identifier: MIT
#pragma once

#include <detent/label.hpp>
#include <detent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace detent {

namespace detail {
class engine_core;
class outbox;

// The parts of a timer's lateness up to its hand-over, or up to its run if it runs inline. They add up to it.
struct lateness_parts {
  nanoseconds_t drain = 0;   // until it was drained
  nanoseconds_t wait = 0;    // then while the driver waited, or was away
  nanoseconds_t worker = 0;  // and while it was there, until its turn
};
}  // namespace detail

// A timer that came due and was handed over. Calling it runs the callback, unless a cancel() or a restart came first.
// If it is destroyed uncalled, a one-shot is dropped and counted as such; a periodic timer goes on with its next run,
// and counts this one as missed. It may outlive its engine, and then does nothing.
class fired_timer {
 public:
  fired_timer(fired_timer&& other) noexcept
      : core_(std::exchange(other.core_, nullptr)),
        word_(other.word_),
        index_(other.index_),
        order_(other.order_),
        late_(other.late_) {}
  fired_timer& operator=(fired_timer&& other) noexcept;
  ~fired_timer();

  // Any thread, at most once. Exceptions of the callback go to the engine's on_error.
  void operator()() noexcept;

  // The timer's properties, for executors that choose by them. Read them before calling this object or moving from it.
  // They come from the timer itself, so they are 0 or none once it has been cancelled and another timer has its place.
  // Any thread may read them, in some nanoseconds each.
  std::uint64_t tag() const noexcept;
  detent::label label() const noexcept;
  std::uint8_t lane() const noexcept;
  // When it is due; if it was restarted since, the new deadline. time_point::max() while its group is paused.
  time_point deadline() const noexcept;
  // The timer_group::id() of its group; null: it has none.
  const void* group() const noexcept;

 private:
  friend class detail::outbox;
  fired_timer(detail::engine_core& core, std::uint32_t index, std::uint64_t word, std::uint32_t order,
              const detail::lateness_parts& late) noexcept;

  template <class Value, class Read>
  Value of_this(Value nothing, Read&& read) const noexcept;
  template <class Value, class Read>
  Value of_cold(Value nothing, Read&& read) const noexcept;

  detail::engine_core* core_;  // a counted reference; null once called or moved from
  std::uint64_t word_;         // the state word at the hand-over: any later arming differs from it
  std::uint32_t index_;
  std::uint32_t order_;          // the arming order, which the word does not keep
  detail::lateness_parts late_;  // until the hand-over
};

// Runs callbacks elsewhere than on the worker.
class executor {
 public:
  virtual ~executor() = default;
  // Called on the engine's thread, in deadline order. False: not taken, and `work` is untouched;
  // engine_options.on_refusal then says what happens.
  virtual bool execute(fired_timer&& work) noexcept = 0;
  // Takes several timers that came due together, from the front. Returns how many it took, and leaves the rest
  // untouched. By default it takes them one by one; overriding it pays if taking many costs little more than taking
  // one. poll() always hands over one by one.
  virtual std::size_t execute_many(std::span<fired_timer> work) noexcept {
    std::size_t taken = 0;
    while (taken < work.size() && execute(std::move(work[taken]))) ++taken;
    return taken;
  }
  // Under refusal_policy::run_inline, refused work would run on the engine's thread, and so perhaps beside or before
  // work that was handed over earlier. True: it is offered again in order instead, and operations without a tag, such
  // as a coroutine's sleep, get a tag of their own. Called once, on the thread that makes the engine; the engine goes
  // by that answer from then on.
  virtual bool keeps_order() const noexcept { return false; }
};

// Stands for the driver in timer_options::executor, periodic_options and timer_group: the callback runs on the worker,
// or inside poll(), whichever executors the engine has. Useful for short callbacks that must not wait for a pool, such
// as one that hands work to a thread of the program's own. It is the same for all engines, and lasts until the process
// ends. Any thread.
executor* on_driver() noexcept;

}  // namespace detent
