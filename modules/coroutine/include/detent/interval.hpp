// SPDX-License-Identifier: MIT
// interval every(engine, 10ms); co_await every.next(): a coroutine that goes on again and again, at a fixed rate.
#pragma once

#include <detent/coroutine.hpp>
#include <detent/detail/place.hpp>
#include <detent/engine.hpp>

#include <cstdint>
#include <utility>

namespace detent {

// A grid in time, with one coroutine that waits for its next point. It lies in the coroutine's frame and allocates
// nothing, and has no timer between two calls of next(). One coroutine at a time. It holds the core of its engine,
// which may be moved.
class interval {
 public:
  // To be awaited once and at once, because it refers to its interval.
  class [[nodiscard]] tick : public sleep_awaiter {
   public:
    bool await_ready() noexcept { return of_.is_over() || sleep_awaiter::await_ready(); }
    void await_suspend(base::coroutine_handle sleeper) {
      begin(sleeper, of_.on_.with(of_.has_options_ ? &of_.options_ : nullptr));
    }
    // True: the point has come, and deadline() and missed() are about it. False: stop was requested, or all `runs` are
    // over. Throws what a sleep throws.
    bool await_resume() {
      if (of_.is_over() || !sleep_awaiter::await_resume()) return false;
      of_.come();
      return true;
    }

   private:
    friend class interval;
    tick(interval& of, base::stop_token stop) noexcept
        : sleep_awaiter(of.on_.core(), detail::to_time(of.next_), std::move(stop)), of_(of) {}
    interval& of_;
  };

  // `on` is an engine or a timer_group. The points are `first + n * period`, and the first is one period from now.
  // `options.missed_policy` says how to handle points that have gone by before next() was awaited: skip goes on at the
  // latest one, burst gives each of them, and with delay each point begins a new grid. After `options.runs` points
  // next() gives false at once. Throws invalid_period for a period that is not positive, and nothing else: errors in
  // the other options come from next().
  interval(detail::place on, detail::whole_duration period, periodic_options options = {})
      : on_(std::move(on)),
        period_(period.count()),
        policy_(options.missed_policy),
        runs_left_(options.runs),
        is_limited_(options.runs != 0),
        options_{.label = options.label,
                 .tag = options.tag,
                 .lane = options.lane,
                 .slack = options.slack,
                 .executor = options.executor},
        has_options_(options.slack != duration(0) || options.lane != 0 || options.label != label() ||
                     options.tag != 0 || options.executor != nullptr) {
    if (period_ <= 0) detail::throw_schedule_error(on_.core(), errc::invalid_period, options, period);
    reset();
  }
  interval(const interval&) = delete;
  interval& operator=(const interval&) = delete;

  // The awaitable for the next point. If that has gone by already, the coroutine goes on as soon as possible.
  tick next(base::stop_token stop = {}) noexcept { return {*this, std::move(stop)}; }

  // The point for which the last next() has waited. With missed_ticks::skip, the latest one that had come by then.
  time_point deadline() const noexcept { return detail::to_time(last_); }
  // The points that were skipped between that one and the one before; 0 without missed_ticks::skip, and at the end of
  // time. Also 0 if the engine has stopped by then and its clock is a manual one, which is not read any more.
  std::uint64_t missed() const noexcept { return missed_; }
  // Begins the grid anew, one period from now.
  void reset() noexcept { next_ = detail::deadline_after(&on_.core(), period_); }

 private:
  bool is_over() const noexcept { return is_limited_ && runs_left_ == 0; }
  void come() noexcept;

  const detail::place on_;
  const detail::nanoseconds_t period_;
  const missed_ticks policy_;
  std::uint64_t runs_left_;
  const bool is_limited_;
  const timer_options options_;
  const bool has_options_;
  detail::nanoseconds_t next_ = 0, last_ = 0;
  std::uint64_t missed_ = 0;
};

// The point `next_` has come, and perhaps later ones.
inline void interval::come() noexcept {
  last_ = next_;
  missed_ = 0;
  if (is_limited_) --runs_left_;
  const detail::nanoseconds_t now = detail::deadline_after(&on_.core(), 0);
  if (policy_ == missed_ticks::delay) {
    next_ = detail::add_saturated(now, period_);
    return;
  }
  const bool is_known = now != detail::forever;  // false for a manual clock whose engine has stopped
  if (policy_ == missed_ticks::skip && is_known && now > last_) {
    missed_ = static_cast<std::uint64_t>((now - last_) / period_);
    last_ += static_cast<detail::nanoseconds_t>(missed_) * period_;
  }
  next_ = detail::add_saturated(last_, period_);
}

}  // namespace detent
