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

// The parts of a timer's lateness up to its hand-over, or inline up to its run; they add up to it.
struct lateness_parts {
  nanoseconds_t drain = 0;   // until it was drained
  nanoseconds_t wait = 0;    // then while the driver waited, or was away
  nanoseconds_t worker = 0;  // and while it was there, until its turn
};
}  // namespace detail

// A timer that came due and was handed over. Calling it runs the callback, unless cancel() or restart came first;
// destroyed uncalled, a one-shot is dropped and counted as such, and a periodic timer goes on with its next run, this
// one being counted as missed. May outlive its engine, and then does nothing.
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

  // Any thread; at most once. Exceptions of the callback go to the engine's on_error.
  void operator()() noexcept;

  // The timer's properties, for executors that choose by them; before it is called or moved from. Read from the timer
  // itself: 0 and none if it was cancelled since and another has its place by now. Some nanoseconds each, any thread.
  std::uint64_t tag() const noexcept;
  detent::label label() const noexcept;
  std::uint8_t lane() const noexcept;
  // By which it is due, or after a restart since, will be; time_point::max() while its group is paused.
  time_point deadline() const noexcept;
  // That of its group: timer_group::id(). Null: of none.
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
  std::uint32_t order_;          // its arming order, which the word has no more
  detail::lateness_parts late_;  // until the hand-over
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
  // True: what it refuses is offered again in order where refusal_policy::run_inline would run it on the engine's
  // thread, and so perhaps beside, or before, what was handed over earlier. Any thread: asked when it refuses, and by
  // operations without a tag, such as a coroutine's sleep, which are given one of their own then.
  virtual bool keeps_order() const noexcept { return false; }
};

// Names the driver in timer_options::executor, periodic_options and timer_group: the callback runs on the worker, or
// inside poll(), whichever executors the engine has. For what is short and must not wait for a pool, such as handing on
// to a thread of one's own. The same for all engines; lasts until the process ends. Any thread.
executor* on_driver() noexcept;

}  // namespace detent
