// SPDX-License-Identifier: MIT
// The timer of a time limit, as cancel_after() and cancel_at() describe it.
#pragma once

#include <detent/detail/place.hpp>
#include <detent/detail/schedule.hpp>
#include <detent/options.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <utility>

namespace detent::detail {

class limit_plan {
 public:
  // The options are checked here, because inside a coroutine the error is caught where the limit is made; where the
  // operation starts it would leave run().
  limit_plan(place by, whole_duration delay, const timer_options& options)
      : limit_plan(std::move(by), duration(delay), {}, options) {}
  limit_plan(place by, clock_time deadline, const timer_options& options)
      : limit_plan(std::move(by), {}, time_point(deadline), options) {
    is_deadline_ = true;
  }

  // The name of the public function, for errors.
  const char* call() const noexcept { return is_deadline_ ? "cancel_at" : "cancel_after"; }
  // Returns a handle, or a refusal.
  template <class Callback>
  timer try_schedule(Callback callback) const noexcept {
    const time_point due = is_deadline_ ? deadline_ : to_time(deadline_after(&by_.core(), delay_.count()));
    return by_.try_schedule_at(due, std::move(callback), options_);
  }
  // Throws the reason.
  [[noreturn]] void refuse(const timer& refused) const { by_.refuse(refused, options_); }

 private:
  // The callback only posts, so it runs on the driver: no executor of the engine delays or loses it, unless one is
  // named.
  limit_plan(place by, duration delay, time_point deadline, const timer_options& options)
      : by_(std::move(by)), delay_(delay), deadline_(deadline), options_(options) {
    by_.check(options_);
    if (options_.executor == nullptr) options_.executor = on_driver();
  }

  place by_;  // it may be moved or end before the operation starts
  duration delay_;
  time_point deadline_;
  timer_options options_;
  bool is_deadline_ = false;
};

}  // namespace detent::detail
