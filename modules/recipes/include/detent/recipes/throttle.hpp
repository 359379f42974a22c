// SPDX-License-Identifier: MIT
// At most one run an interval, however many calls there are.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/recipes/detail/alarm.hpp>
#include <detent/recipes/detail/bad_input.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace detent::recipes {

struct throttle_options {
  duration interval{};   // at least this long from the start of one run to the start of the next
  bool leading = true;   // the first call runs at once; else at the end of the interval that it opens
  bool trailing = true;  // calls inside an interval run at its end; else they are dropped
};

// Runs `f()` at most once an interval, by the engine's clock.
//
// Threads: any, at once. `f` runs where the engine runs callbacks, a leading run too, and never twice at a time. It
// sees what was done before each call that it stands for. Cost: a call while a run is already waiting is one atomic
// exchange. Other calls take a mutex, and the first of an interval arms a timer. One allocation, in the constructor.
// Errors: the constructor throws invalid_option for a null `f`, and for what engine::schedule_at() refuses. A call that
// must arm the timer throws what schedule_at() throws, and counts for flush() all the same. Exceptions of `f` go to the
// engine's on_error, in flush() to the caller. If a run does not come, because the engine has stopped or an executor
// dropped it, it stays wanted: the next call arms it again, and flush() makes up for it. Lifetime: the destructor
// cancels, and waits for a running `f` on another thread; `f` itself may destroy it. It may outlive the engine, which
// may be moved.
template <class F = std::function<void()>>
class throttle {
 public:
  // `on` is an engine or a timer_group.
  throttle(detail::place on, throttle_options options, F f, timer_options how = {})
      : state_(std::make_shared<gate>(std::move(on), options, std::move(f), how)) {}
  throttle(detail::place on, detent::detail::whole_duration interval, F f, timer_options how = {})
      : throttle(std::move(on), throttle_options{.interval = interval}, std::move(f), how) {}
  throttle(const throttle&) = delete;
  throttle& operator=(const throttle&) = delete;
  ~throttle() { state_->end(); }

  void call() { state_->note(); }
  void operator()() { call(); }
  // Forgets the calls for which no run has started. The interval of the latest run still counts.
  void cancel() noexcept { state_->forget(); }
  // Whether a run will start by itself, for calls or at the end of an interval.
  bool pending() const noexcept { return state_->pending(); }
  // Runs `f` for these calls on this thread, at once, also when the engine has stopped. Waits for a run on another
  // thread. A new interval begins. False: there are no such calls, or `f` itself calls it.
  bool flush() {
    const auto kept = state_;  // `f` may destroy this object
    return kept->run_now();
  }

 private:
  class gate final : public detail::alarm {
   public:
    gate(detail::place on, const throttle_options& options, F f, const timer_options& how)
        : alarm(std::move(on), how), options_(options), f_(detail::not_null("throttle: f", std::move(f))) {}

    void note() {
      // (1) acq_rel: pairs with (2), which starts the run that stands for this call, and with itself in other threads.
      if (options_.trailing && wanted_.exchange(true, base::acq_rel) && pending()) return;
      const std::lock_guard lock(mutex_);
      // Armed or running: the interval's end sees wanted_, or drops the call.
      if (now_is() == state::running || (now_is() == state::armed && pending())) return;
      // An interval may be open without a timer: between the end of a run and the next arming, or if it was cancelled
      // or dropped.
      const time_point now = on().now();
      const bool is_open = now < ends_;
      if (is_open && !options_.trailing) return;
      opens_ = true;
      arm(is_open ? ends_ : options_.leading ? now : sum(now, options_.interval));
    }
    using alarm::pending;
    void forget() noexcept {
      const std::lock_guard lock(mutex_);
      disarm();
      opens_ = false;
      wanted_.store(false, base::release);  // (3) release: as (2), for the next call
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
    // (4) acquire: pairs with (1).
    bool wanted() const noexcept override { return opens_ || wanted_.load(base::acquire); }
    void call() override { f_(); }

    const throttle_options options_;
    F f_;
    bool opens_ = false;                     // a call that found no waiting run has no run yet
    time_point ends_ = (time_point::min)();  // the end of the latest run's interval
    base::atomic<bool> wanted_{false};
  };

  std::shared_ptr<gate> state_;
};

}  // namespace detent::recipes
