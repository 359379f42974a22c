// SPDX-License-Identifier: MIT
// The state of a time limit: the part that does not depend on the handler's type.
#pragma once

#include <detent/detail/limit_plan.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/error.hpp>

#include <mutex>
#include <optional>
#include <utility>

namespace detent::detail {

// Four parties meet here: the operation, its initiation, the engine's callback, and an emission that has been posted to
// the operation's executor. Each may be on a thread of its own. An emission and the initiation are pins: while there is
// one, an operation that has ended keeps its handler here, because they use its memory. The mutex is contended only if
// the time is up just as the operation ends. It is held while an emission is posted, because the operation may end on
// another thread. The context may also end. Then nothing is posted, because the operation, which the context destroys,
// has nothing to wait for.
class limit_state {
 public:
  limit_state(const limit_state&) = delete;
  limit_state& operator=(const limit_state&) = delete;

  // To be called before the operation starts. If the engine has no place or no memory, or has stopped, the time is up
  // at once. Throws for an option that is impossible.
  void arm(const limit_plan& plan);
  // The operation has been started. Nothing is emitted before that, because a slot takes one thread at a time.
  void initiated() noexcept {
    std::unique_lock lock(mutex_);
    has_started_ = true;
    --pins_;
    // If the operation has completed by now, its handler is called where handlers run, not here.
    if (ended_ ? is_completed_ && pins_ == 0 : is_due_) post_pinned();
    if (!ended_ || pins_ != 0) return;
    lock.unlock();
    abandon();
  }
  // The engine's callback, once, on any thread: the time is up, or the engine has let go of the timer.
  void expire() noexcept {
    std::unique_lock lock(mutex_);
    has_callback_ = false;
    if (!ended_) {
      is_due_ = true;
      if (has_started_) post_pinned();
    }
    free_if_over(lock);
  }
  // An emission has been destroyed by its queue, unrun.
  void let_go() noexcept {
    if (posting_ == this) return static_cast<void>(is_lost_ = true);
    std::unique_lock lock(mutex_);
    if (--pins_ != 0 || !ended_) return;
    lock.unlock();
    abandon();
  }

 protected:
  limit_state() noexcept = default;
  ~limit_state() = default;

  // The operation has completed or was destroyed. Takes a pin. Returns true if there is no other pin, and then there
  // will be none.
  bool end(bool completed) noexcept {
    bool has_callback = false, alone = false;
    {
      std::lock_guard lock(mutex_);
      ended_ = true;
      is_completed_ = completed;
      has_callback = has_callback_;
      alone = pins_++ == 0;
    }
    // A callback that is running has ended when this returns. A callback that stop() has returned stays until it is
    // destroyed.
    if (has_callback) cancel_held(*timer_access::core(timer_), timer_);
    return alone;
  }
  // Stands around an emission. Returns false if there is nothing to emit to.
  bool pin() noexcept {
    std::lock_guard lock(mutex_);
    if (ended_) return false;
    ++pins_;
    return true;
  }
  // Returns true if it was the last pin of an operation that has ended.
  bool unpin() noexcept {
    std::lock_guard lock(mutex_);
    return --pins_ == 0 && ended_;
  }
  // Releases the pin of end() if the completion could not be kept: the operation ends as if it were destroyed.
  bool unpin_uncompleted() noexcept {
    std::lock_guard lock(mutex_);
    is_completed_ = false;
    return --pins_ == 0;
  }
  bool has_ended() noexcept {
    std::lock_guard lock(mutex_);
    return ended_;
  }
  bool is_completed() const noexcept { return is_completed_; }  // for an operation that has ended
  // The handler is gone. Nothing may be used afterwards.
  void leave() noexcept {
    engine_.reset();
    std::unique_lock lock(mutex_);
    has_handler_ = false;
    free_if_over(lock);
  }

 private:
  virtual bool post() noexcept = 0;     // posts an emission; returns false if the context has ended
  virtual void abandon() noexcept = 0;  // destroys the handler
  virtual void free() noexcept = 0;     // destroys this

  void post_pinned() noexcept {
    ++pins_;
    is_lost_ = false;
    posting_ = this;
    const bool posted = post();
    posting_ = nullptr;
    if (!posted || is_lost_) --pins_;
  }
  void free_if_over(std::unique_lock<std::mutex>& lock) noexcept {
    if (has_handler_ || has_callback_) return;
    lock.unlock();
    free();
  }

  static inline constinit thread_local const limit_state* posting_ = nullptr;

  timer timer_;
  std::optional<engine_hold> engine_;  // holds the timer's engine, which the timer may outlive

  std::mutex mutex_;
  int pins_ = 1;  // one for the initiation
  bool has_started_ = false;
  bool is_due_ = false;
  bool ended_ = false;
  bool is_completed_ = false;
  bool has_handler_ = true;
  bool has_callback_ = false;
  bool is_lost_ = false;  // used only by the thread that posts
};

// Held by the engine. It expires the limit once, when it is run or destroyed.
class limit_callback {
 public:
  explicit limit_callback(limit_state& of) noexcept : of_(&of) {}
  limit_callback(limit_callback&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  limit_callback& operator=(limit_callback&&) = delete;
  ~limit_callback() { (*this)(); }

  void operator()() noexcept {
    if (limit_state* of = std::exchange(of_, nullptr)) of->expire();
  }

 private:
  limit_state* of_;
};

inline void limit_state::arm(const limit_plan& plan) {
  has_callback_ = true;
  timer_ = plan.try_schedule(limit_callback(*this));
  if (timer_) {
    engine_.emplace(*timer_access::core(timer_));
  } else if (timer_access::problem(timer_) == errc::invalid_option) {
    plan.refuse(timer_);
  }  // otherwise the callback was destroyed, which has expired the limit
}

}  // namespace detent::detail
