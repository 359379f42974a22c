// SPDX-License-Identifier: MIT
// One run after a burst of calls.
#pragma once

#include <detent/recipes/detail/alarm.hpp>
#include <detent/recipes/detail/bad_input.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace detent::recipes {

struct debounce_options {
  duration delay{};                       // a burst ends after this long without a call
  duration max_wait = (duration::max)();  // a call waits no longer than this, even if the burst goes on
  bool leading = false;                   // the first call of a burst runs at once; then one at the end, if more came
};

// Runs `f()` once the calls have stopped for `delay`. After each call a run starts, as late as the options allow.
//
// Threads: any, at once. `f` runs where the engine runs callbacks, a leading run too, and never twice at a time. It
// sees what was done before each call that it stands for. Cost: a call is one restart_after(), lock-free. With
// `leading` or `max_wait`, or if the timer is just firing or not armed, it also takes a mutex. One allocation, in the
// constructor. Errors: the constructor throws invalid_option for a null `f`, and for what engine::schedule_at()
// refuses. A call that must arm the timer throws what schedule_at() throws, and counts for flush() all the same.
// Exceptions of `f` go to the engine's on_error, in flush() to the caller. If a run does not come, because the engine
// has stopped or an executor dropped it, it stays wanted: the next call arms it again, and flush() makes up for it.
// Lifetime: the destructor cancels, and waits for a running `f` on another thread; `f` itself may destroy it. It may
// outlive the engine, which may be moved.
template <class F = std::function<void()>>
class debounce {
 public:
  // `on` is an engine or a timer_group.
  debounce(detail::place on, debounce_options options, F f, timer_options how = {})
      : state_(std::make_shared<burst>(std::move(on), options, std::move(f), how)) {}
  debounce(detail::place on, detent::detail::whole_duration delay, F f, timer_options how = {})
      : debounce(std::move(on), debounce_options{.delay = delay}, std::move(f), how) {}
  debounce(const debounce&) = delete;
  debounce& operator=(const debounce&) = delete;
  ~debounce() { state_->end(); }

  void call() { state_->note(); }
  void operator()() { call(); }
  // Forgets the calls for which no run has started.
  void cancel() noexcept { state_->forget(); }
  // Whether a run will start by itself, or a burst with a leading run goes on.
  bool pending() const noexcept { return state_->pending(); }
  // Runs `f` for these calls on this thread, at once, also when the engine has stopped. Waits for a run on another
  // thread. False: there are no such calls, or `f` itself calls it; the timer then waits for the end of `f`.
  bool flush() {
    const auto kept = state_;  // `f` may destroy this object
    return kept->run_now();
  }

 private:
  class burst final : public detail::alarm {
   public:
    burst(detail::place on, const debounce_options& options, F f, const timer_options& how)
        : alarm(std::move(on), how), options_(options), f_(detail::not_null("debounce: f", std::move(f))) {}

    void note() {
      // Without the mutex, because an armed timer says that a run is wanted.
      if (!options_.leading && options_.max_wait == (duration::max)() && postpone(options_.delay)) return;
      const std::lock_guard lock(mutex_);
      quiet_ = after(options_.delay);
      if (!wanted_) longest_ = after(options_.max_wait);
      wanted_ = true;
      const bool opens = options_.leading && (now_is() == state::idle || (leading_ && !pending()));
      if (opens) {
        leading_ = true;
        arm(on().now());
      } else if (!leading_) {
        arm((std::min)(quiet_, longest_));
      }
    }
    using alarm::pending;
    void forget() noexcept {
      const std::lock_guard lock(mutex_);
      disarm();
      wanted_ = leading_ = false;
    }

   private:
    bool due(time_point) noexcept override {
      // After a leading run the burst goes on until it is quiet; the timer watches for that, and may find nothing
      // wanted.
      if (std::exchange(leading_, false)) arm_after_run(quiet_);
      return std::exchange(wanted_, false);
    }
    bool wanted() const noexcept override { return wanted_; }
    void call() override { f_(); }

    const debounce_options options_;
    F f_;
    time_point quiet_{};    // when the burst ends if no other call comes
    time_point longest_{};  // when the first wanted call must run at the latest
    bool wanted_ = false;   // calls have come for which no run has started
    bool leading_ = false;  // the timer is armed for a leading run
  };

  std::shared_ptr<burst> state_;
};

}  // namespace detent::recipes
