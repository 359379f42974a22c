// SPDX-License-Identifier: MIT
// The timer of a time limit, as cancel_after() and cancel_at() describe it.
#pragma once

#include <detent/detail/place.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/engine.hpp>
#include <detent/options.hpp>
#include <detent/time.hpp>
#include <detent/timer_group.hpp>

#include <utility>

namespace detent::detail {

// An engine or a group, either of which may schedule the timer.
class timer_source {
 public:
  timer_source(engine& by) noexcept : engine_(&by) {}
  timer_source(timer_group& by) noexcept : group_(&by) {}

  // Throws invalid_option for options that no timer of the engine can have.
  void check(const timer_options& options) const {
    const engine_core* const core = engine_ != nullptr ? timer_access::core(*engine_) : timer_access::core(*group_);
    if (core != nullptr) check_options(*core, options);  // else it has been moved from, which the schedule call reports
  }
  // Calls `schedule` with the engine or the group.
  template <class F>
  timer with(F&& schedule) const {
    return engine_ != nullptr ? schedule(*engine_) : schedule(*group_);
  }

 private:
  engine* engine_ = nullptr;
  timer_group* group_ = nullptr;
};

class limit_plan {
 public:
  // The options are checked here, because inside a coroutine the error is caught where the limit is made; where the
  // operation starts it would leave run().
  limit_plan(timer_source by, whole_duration delay, const timer_options& options)
      : limit_plan(by, duration(delay), {}, options) {}
  limit_plan(timer_source by, clock_time deadline, const timer_options& options)
      : limit_plan(by, {}, time_point(deadline), options) {
    is_deadline_ = true;
  }

  // The name of the public function, for errors.
  const char* call() const noexcept { return is_deadline_ ? "cancel_at" : "cancel_after"; }
  // Throws what schedule_after() throws.
  template <class Callback>
  timer schedule(Callback callback) const {
    return by_.with([&](auto& by) {
      return is_deadline_ ? by.schedule_at(deadline_, std::move(callback), options_)
                          : by.schedule_after(delay_, std::move(callback), options_);
    });
  }

 private:
  // The callback only posts, so it runs on the driver: no executor of the engine delays or loses it, unless one is
  // named.
  limit_plan(timer_source by, duration delay, time_point deadline, const timer_options& options)
      : by_(by), delay_(delay), deadline_(deadline), options_(options) {
    by_.check(options_);
    if (options_.executor == nullptr) options_.executor = on_driver();
  }

  timer_source by_;
  duration delay_;
  time_point deadline_;
  timer_options options_;
  bool is_deadline_ = false;
};

}  // namespace detent::detail
