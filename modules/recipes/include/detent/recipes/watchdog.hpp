// SPDX-License-Identifier: MIT
// Reports that something that should happen regularly has stopped.
#pragma once

#include <detent/recipes/detail/alarm.hpp>
#include <detent/recipes/detail/bad_input.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace detent::recipes {

// Calls `bark()` once when it has not been fed for `timeout`. It then stays quiet until start().
//
// Threads: any, at once. `bark` runs where the engine runs callbacks, never twice at a time. A feed() that returns true
// before `bark` starts prevents it. Cost: feed() is one restart_after(), lock-free. It takes a mutex only if the timer
// is just firing, or the watchdog is stopped. One allocation, in the constructor. Errors: the constructor throws
// invalid_option for a null `bark`, and for what engine::schedule_at() refuses; like start(), it throws what
// schedule_at() throws. feed() throws that too, but only if it meets the firing timer, or one that was dropped; after
// the end of the engine it returns false. Exceptions of `bark` go to the engine's on_error. A `bark` that an executor
// drops, or that is cancelled with its group, is not called; feed() and start() count anew. Lifetime: the destructor
// waits for a running `bark` on another thread; `bark` itself may destroy it. It may outlive the engine, which may be
// moved.
template <class F = std::function<void()>>
class watchdog {
 public:
  // It starts at once. `on` is an engine or a timer_group.
  watchdog(detail::place on, detent::detail::whole_duration timeout, F bark, timer_options options = {})
      : state_(std::make_shared<kennel>(std::move(on), timeout, std::move(bark), options)) {
    start();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() { state_->end(); }

  // True: `timeout` counts from now. False: it has barked, is just barking or is stopped, or its engine is stopped.
  bool feed() { return state_->feed(); }
  // Counts from now, in any state. If a `bark` is running, it ends before the next one.
  void start() { state_->start(); }
  // Does not wait for a running `bark`.
  void stop() noexcept { state_->stop(); }

 private:
  class kennel final : public detail::alarm {
   public:
    kennel(detail::place on, duration timeout, F bark, const timer_options& options)
        : alarm(std::move(on), options),
          timeout_(timeout),
          bark_(detail::not_null("watchdog: bark", std::move(bark))) {}

    bool feed() {
      if (postpone(timeout_)) return true;
      const std::lock_guard lock(mutex_);
      if ((now_is() != state::armed && !dropped_) || !arm_unless_stopped(after(timeout_))) return false;
      dropped_ = false;
      return true;
    }
    void start() {
      const std::lock_guard lock(mutex_);
      arm(after(timeout_));
      dropped_ = false;
    }
    void stop() noexcept {
      const std::lock_guard lock(mutex_);
      disarm();
      dropped_ = false;
    }

   private:
    bool due(time_point) noexcept override { return true; }
    void call() override { bark_(); }
    bool given_up() noexcept override {
      dropped_ = true;
      return false;
    }

    const duration timeout_;
    F bark_;
    bool dropped_ = false;  // the timer ended without a call of bark_, and was not started since
  };

  std::shared_ptr<kennel> state_;
};

}  // namespace detent::recipes
