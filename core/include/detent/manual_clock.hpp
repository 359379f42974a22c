// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

namespace detent {

// Virtual time, moved by hand; any thread may read it while one moves it. Must outlive the engines that use it.
class manual_clock {
 public:
  manual_clock() noexcept : manual_clock(time_point{}) {}
  explicit manual_clock(time_point start) noexcept : now_ns_(detail::to_ns(start)) {}
  manual_clock(const manual_clock&) = delete;
  manual_clock& operator=(const manual_clock&) = delete;

  time_point now() const noexcept {
    // (1) acquire: pairs with (2), so that a thread that sees a time sees what was done before time moved there.
    return detail::to_time(now_ns_.load(base::acquire));
  }
  // Forward by `step`; a negative step does nothing; `forever` is the end.
  void advance(duration step) noexcept {
    advance_to(detail::to_time(detail::add_saturated(detail::to_ns(now()), step.count())));
  }
  // Never backwards: an earlier time is ignored.
  void advance_to(time_point target) noexcept {
    if (target > now()) now_ns_.store(detail::to_ns(target), base::release);  // (2) release: pairs with (1)
  }

 private:
  base::atomic<detail::nanoseconds_t> now_ns_;
};

}  // namespace detent
