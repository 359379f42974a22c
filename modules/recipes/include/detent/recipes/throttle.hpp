// SPDX-License-Identifier: MIT
// However many calls, at most one run an interval.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/recipes/detail/alarm.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace detent::recipes {

struct throttle_options {
  duration interval{};   // from the start of one run to the start of the next, at least
  bool leading = true;   // the first call runs at once; else at the end of the interval that it opens
  bool trailing = true;  // calls inside an interval run at its end; else they are dropped
};

// Runs `f()` at most once an interval, by the engine's clock.
//
// Threads: any, at once; `f` runs where the engine runs callbacks, a leading run too, never twice at a time. It sees
// what was done before each call that it stands for. Cost: a call while a run is already waiting is one atomic
// exchange; others take a mutex, and the first of an interval arms a timer. One allocation, in the constructor. Errors:
// a call throws what engine::schedule_at() throws, where it has to arm the timer. What `f` throws goes to the engine's
// on_error. Lifetime: the destructor cancels, and waits for a running `f` on another thread; `f` itself may destroy it.
// It may outlive the engine, and is then only to be destroyed.
template <class F = std::function<void()>>
class throttle {
 public:
  throttle(engine& on, throttle_options options, F f, timer_options how = {})
      : state_(std::make_shared<gate>(on, options, std::move(f), how)) {}
  throttle(engine& on, duration interval, F f) : throttle(on, throttle_options{.interval = interval}, std::move(f)) {}
  throttle(const throttle&) = delete;
  throttle& operator=(const throttle&) = delete;
  ~throttle() { state_->end(); }

  void call() { state_->note(); }
  void operator()() { call(); }

 private:
  class gate final : public detail::alarm {
   public:
    gate(engine& on, const throttle_options& options, F f, const timer_options& how)
        : alarm(on, how), options_(options), f_(std::move(f)) {}

    void note() {
      // (1) acq_rel: pairs with (2), which starts the run that stands for this call, and with itself in other threads.
      if (options_.trailing && wanted_.exchange(true, base::acq_rel) && pending()) return;
      const std::lock_guard lock(mutex_);
      // Armed or running: the interval's end sees wanted_, or drops the call.
      if (now_is() == state::running || (now_is() == state::armed && pending())) return;
      const time_point now = on().now();
      // Armed: between the end of a run and the next arming of its timer, or an executor has dropped the timer.
      const bool armed = now_is() == state::armed;
      if (armed && !options_.trailing && now < ends_) return;
      unwanted_on_throw undo{wanted_};
      arm(armed ? std::max(now, ends_) : options_.leading ? now : sum(now, options_.interval));
      undo.armed = opens_ = true;
    }

   private:
    bool due(time_point started) noexcept override {
      const bool opens = std::exchange(opens_, false);
      // (2) acq_rel: pairs with (1), and is under the mutex, so that a call that finds `false` waits for the state.
      const bool wanted = wanted_.exchange(false, base::acq_rel) || opens;
      if (wanted) {
        ends_ = sum(started, options_.interval);
        arm_after_run(ends_);
      }
      return wanted;
    }
    void call() override { f_(); }

    struct unwanted_on_throw {
      base::atomic<bool>& wanted;
      bool armed = false;
      ~unwanted_on_throw() {
        if (!armed) wanted.store(false, base::release);  // (3) release: as (2), for the next call
      }
    };

    const throttle_options options_;
    F f_;
    bool opens_ = false;                     // the timer is armed for a call that found no interval
    time_point ends_ = (time_point::min)();  // of the latest run's interval
    base::atomic<bool> wanted_{false};
  };

  std::shared_ptr<gate> state_;
};

}  // namespace detent::recipes
