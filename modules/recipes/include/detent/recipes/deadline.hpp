// SPDX-License-Identifier: MIT
// A deadline that is handed down from caller to callee.
#pragma once

#include <detent/engine.hpp>
#include <detent/time.hpp>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>

namespace detent::recipes {

// A source of time: an engine, or a clock object.
template <class T>
concept timed = requires(const T& on) {
  { on.now() } -> std::same_as<time_point>;
};

// A point in time after which an answer is of no use, or never. It is handed down by value, eight bytes, to the code
// that works on that answer. Each layer waits for the time that is left, and may allow its own callee less, never more.
//
// Threads: a value. Cost: arithmetic; `after`, `remaining`, `expired` and `within` read the engine's clock once.
// Errors: none; sums saturate, so that a huge budget is never() and a negative one has expired. Lifetime: it keeps
// nothing of the engine, but goes by the clock of the engine that made it: use it with that engine, or one with the
// same clock.
class deadline {
 public:
  // Never expires.
  constexpr deadline() noexcept = default;
  static constexpr deadline never() noexcept { return {}; }
  static constexpr deadline at(time_point when) noexcept { return deadline(when); }
  static deadline after(const timed auto& on, detent::detail::whole_duration budget) noexcept {
    return at(sum(on.now(), budget));
  }

  // For engine::schedule_at() and sleep_until(). For never() it is (time_point::max)().
  constexpr time_point when() const noexcept { return when_; }
  constexpr bool is_never() const noexcept { return when_ == (time_point::max)(); }

  // Zero once it has expired; (duration::max)() if it never does.
  duration remaining(const timed auto& on) const noexcept {
    if (is_never()) return (duration::max)();
    return (std::max)(duration::zero(), duration(detent::detail::subtract_saturated(ns(when_), ns(on.now()))));
  }
  // True from that very instant on.
  bool expired(const timed auto& on) const noexcept { return !is_never() && on.now() >= when_; }

  // The earlier of this one and `budget` from now: what a callee may have.
  deadline within(const timed auto& on, detent::detail::whole_duration budget) const noexcept {
    return within(after(on, budget));
  }

  constexpr deadline within(deadline other) const noexcept { return other < *this ? other : *this; }

  // The earlier is the lesser: std::min(a, b).
  friend constexpr bool operator==(const deadline&, const deadline&) = default;
  friend constexpr std::strong_ordering operator<=>(const deadline& a, const deadline& b) noexcept {
    return a.when_.time_since_epoch().count() <=>
           b.when_.time_since_epoch().count();  // because libc++ 14 cannot order time_point this way
  }

 private:
  explicit constexpr deadline(time_point when) noexcept : when_(when) {}
  static constexpr std::int64_t ns(time_point t) noexcept { return t.time_since_epoch().count(); }
  static constexpr time_point sum(time_point start, duration budget) noexcept {
    return time_point(duration(detent::detail::add_saturated(ns(start), budget.count())));
  }

  time_point when_ = (time_point::max)();
};

}  // namespace detent::recipes
