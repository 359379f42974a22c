// SPDX-License-Identifier: MIT
// So many an interval, with bursts: a token bucket in one word.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/engine.hpp>
#include <detent/recipes/deadline.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace detent::recipes {

struct rate {
  std::uint32_t permits = 1;               // at least 1
  duration per = std::chrono::seconds(1);  // at least 1 ns a permit: the interval is rounded up to whole nanoseconds
  std::uint32_t burst = 1;                 // so many at once after a time without any; at least 1
};

// The generic cell rate algorithm (ITU-T I.371), which is a token bucket: the word is when the bucket would be full
// again. Starts full. Permits are given in the order of the calls; one that is reserved for later goes before any that
// is asked for afterwards, so try_acquire() fails while another caller waits.
//
// Threads: any, at once. Cost: a reading of the clock and one compare-and-swap, lock-free, no allocation; acquire()
// schedules one timer besides. Errors: acquire() throws what engine::schedule_at() throws. A permit is never given
// back: not if that throws, nor if the timer is cancelled. Lifetime: not longer than the engine; timers of acquire()
// are the engine's, and do not refer to it.
class rate_limiter {
 public:
  rate_limiter(engine& on, rate allowed) noexcept
      : engine_(&on),
        interval_(std::max<std::int64_t>(1, divided_up(allowed.per.count(), (std::max)(1u, allowed.permits)))),
        depth_(times(std::max(1u, allowed.burst))),
        full_at_(now()) {}
  rate_limiter(const rate_limiter&) = delete;
  rate_limiter& operator=(const rate_limiter&) = delete;

  // Now, or not at all.
  bool try_acquire(std::uint32_t permits = 1) noexcept {
    const std::int64_t at = now();
    return take(permits, at, at).has_value();
  }
  // Reserves permits, and returns when the caller may go on: co_await engine.sleep_until(*limiter.reserve()). None:
  // that would be at the deadline or later, and nothing is reserved.
  std::optional<time_point> reserve(deadline until = {}, std::uint32_t permits = 1) noexcept {
    const std::int64_t end = until.when().time_since_epoch().count();
    const auto at = take(permits, now(), until.is_never() || end == INT64_MIN ? end : end - 1);
    if (!at) return std::nullopt;
    return time_point(duration(*at));
  }
  // Calls `f` on the engine when the permits are there. An empty handle: only at the deadline or later; `f` is not
  // called, and nothing is reserved. Callbacks of one thread run in the order of its calls.
  template <class F>
  timer acquire(F&& f, deadline until = {}, std::uint32_t permits = 1) {
    const auto at = reserve(until, permits);
    return at ? engine_->schedule_at(*at, std::forward<F>(f)) : timer();
  }

 private:
  static std::int64_t divided_up(std::int64_t a, std::int64_t b) noexcept { return a / b + (a % b > 0 ? 1 : 0); }
  static std::int64_t sum(std::int64_t a, std::int64_t b) noexcept { return detent::detail::add_saturated(a, b); }
  std::int64_t now() const noexcept { return engine_->now().time_since_epoch().count(); }
  std::int64_t times(std::uint32_t permits) const noexcept {
    std::int64_t product = 0;
    return __builtin_mul_overflow(interval_, std::int64_t{permits}, &product) ? INT64_MAX : product;
  }
  // The time of the permits, if it is `latest` or before.
  std::optional<std::int64_t> take(std::uint32_t permits, std::int64_t now, std::int64_t latest) noexcept {
    const std::int64_t cost = times(permits);
    // Relaxed, all of them: the word is all that is shared, and a permit orders nothing.
    std::int64_t full_at = full_at_.load(base::relaxed);
    for (;;) {
      const std::int64_t then = sum(std::max(full_at, now), cost);
      const std::int64_t at = (std::max)(now, detent::detail::subtract_saturated(then, depth_));
      if (at > latest) return std::nullopt;
      if (full_at_.compare_exchange_weak(full_at, then, base::relaxed)) return at;
    }
  }

  engine* const engine_;
  const std::int64_t interval_;  // a permit's, in nanoseconds
  const std::int64_t depth_;     // of the bucket, as time
  base::atomic<std::int64_t> full_at_;
};

}  // namespace detent::recipes
