// SPDX-License-Identifier: MIT
// Says when something that should happen regularly has stopped happening.
#pragma once

#include <detent/recipes/detail/alarm.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace detent::recipes {

// Calls `bark()` once when it has not been fed for `timeout`. It then stays quiet until start().
//
// Threads: any, at once; `bark` runs where the engine runs callbacks, never twice at a time. A feed() that returns true
// before `bark` starts prevents it. Cost: feed() is one restart_after(), lock-free; a mutex is taken only where the
// timer is just firing, or the watchdog is stopped. One allocation, in the constructor. Errors: the constructor,
// start() and feed() throw what engine::schedule_at() throws; of feed() only where it meets the firing timer, or one
// that an executor dropped. What `bark` throws goes to the engine's on_error. Lifetime: its destructor waits for a
// running `bark` on another thread; `bark` itself may destroy it. It may outlive the engine, and is then only to be
// destroyed.
template <class F = std::function<void()>>
class watchdog {
 public:
  // Started.
  watchdog(engine& on, duration timeout, F bark, timer_options options = {})
      : state_(std::make_shared<kennel>(on, timeout, std::move(bark), options)) {
    start();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() { state_->end(); }

  // True: `timeout` counts from now. False: it has barked, or is just barking, or is stopped.
  bool feed() { return state_->feed(); }
  // Counts from now in any state. A bark that is running ends before the next.
  void start() { state_->start(); }
  // Does not wait for a running `bark`.
  void stop() noexcept { state_->stop(); }

 private:
  class kennel final : public detail::alarm {
   public:
    kennel(engine& on, duration timeout, F bark, const timer_options& options)
        : alarm(on, options), timeout_(timeout), bark_(std::move(bark)) {}

    bool feed() {
      if (postpone(timeout_)) return true;
      const std::lock_guard lock(mutex_);
      if (now_is() != state::armed) return false;
      arm(after(timeout_));
      return true;
    }
    void start() {
      const std::lock_guard lock(mutex_);
      arm(after(timeout_));
    }
    void stop() noexcept {
      const std::lock_guard lock(mutex_);
      disarm();
    }

   private:
    bool due(time_point) noexcept override { return true; }
    void call() override { bark_(); }

    const duration timeout_;
    F bark_;
  };

  std::shared_ptr<kennel> state_;
};

}  // namespace detent::recipes
