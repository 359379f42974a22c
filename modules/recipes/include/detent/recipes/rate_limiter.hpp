// SPDX-License-Identifier: MIT
// A rate with bursts: a token bucket in one word.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/detail/place.hpp>
#include <detent/engine.hpp>
#include <detent/recipes/deadline.hpp>
#include <detent/recipes/detail/bad_input.hpp>
#include <detent/recipes/detail/bounded.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>
#include <detent/timer_group.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace detent::recipes {

namespace detail {
using detent::detail::place;
}

struct rate {
  std::uint32_t permits = 1;               // at least 1
  duration per = std::chrono::seconds(1);  // at least 1 ns a permit: the interval is rounded up to whole nanoseconds
  std::uint32_t burst = 1;                 // the most at once after a time without any; at least 1
  std::uint32_t borrow = 0;                // this many more at once, for which later callers wait
};

// The generic cell rate algorithm (ITU-T I.371), which is a token bucket: the word is the time when the bucket will be
// full again. It starts full. Permits are given in the order of the calls. A permit that is reserved for later goes
// before any that is requested afterwards, so try_acquire() fails while another caller waits, unless it may borrow. A
// bucket of more than 73 years counts in steps of more than a nanosecond, and an interval is rounded up to a whole
// number of them. A request that cannot be counted is refused, and so is everything once a manual clock's engine has
// stopped.
//
// Threads: any, at once. Cost: a reading of the clock and one compare-and-swap of two words, lock-free except during
// set_rate(), no allocation; acquire() also schedules one timer. Errors: the constructor and set_rate() throw
// invalid_option. acquire() throws what engine::schedule_at() throws, and has given its permits back then. Lifetime: it
// may outlive the engine, which may be moved. The timers of acquire() belong to the engine, and do not refer to the
// limiter.
class rate_limiter {
 public:
  // `on` is an engine or a timer_group.
  rate_limiter(detail::place on, const rate& allowed) : on_(std::move(on)), counted_(count(allowed)) {
    state_.low.store(static_cast<std::uint64_t>(now()), base::relaxed);  // relaxed: not shared yet
  }
  rate_limiter(const rate_limiter&) = delete;
  rate_limiter& operator=(const rate_limiter&) = delete;

  // Takes the permits now, or not at all.
  bool try_acquire(std::uint32_t permits = 1) noexcept { return borrow(permits).has_value(); }
  // As try_acquire(), but returns the time until the permits would have been there. That is zero unless the rate allows
  // borrowing.
  std::optional<duration> borrow(std::uint32_t permits = 1) noexcept;
  // Reserves permits, and returns when the caller may go on: co_await engine.sleep_until(*limiter.reserve()). None if
  // that would be at the deadline or later; then nothing is reserved.
  std::optional<time_point> reserve(deadline until = {}, std::uint32_t permits = 1) noexcept;
  // Calls `f` on the engine when the permits are there. Returns an empty handle if that would be at the deadline or
  // later; then `f` is not called, and nothing is reserved. Callbacks of one thread run in the order of its calls. A
  // timer that is cancelled keeps its permits; the caller may give them back by give_back().
  template <class F>
  timer acquire(F&& f, deadline until = {}, std::uint32_t permits = 1, const timer_options& options = {});

  // Returns permits that were taken and not used. They go to those who ask next, at once unless others wait. The bucket
  // never gets more than full.
  void give_back(std::uint32_t permits = 1) noexcept;
  // Changes the rate from now on. The permits in the bucket stay, as far as it has room, and so do those that were
  // promised. Takes a mutex.
  void set_rate(const rate& allowed);

 private:
  static constexpr std::uint64_t most_counted = std::uint64_t{1} << 61;

  // A rate in units of 2^shift nanoseconds, chosen so that the bucket fits the word. Its parts are atomic, because
  // set_rate() changes them while others read.
  struct terms {
    std::uint64_t interval = 1;  // of one permit
    std::uint64_t depth = 1;     // of the bucket
    std::uint64_t credit = 0;
    int shift = 0;
  };
  class shared_terms {
   public:
    explicit shared_terms(const terms& from) noexcept { set(from); }
    // (1) acquire: pairs with (2), so that a reader of a new value finds an odd number or a later one.
    terms get() const noexcept {
      return {interval_.load(base::acquire), depth_.load(base::acquire), credit_.load(base::acquire),
              shift_.load(base::acquire)};
    }
    void set(const terms& to) noexcept {
      interval_.store(to.interval, base::release);  // (2) release: pairs with (1), all of them
      depth_.store(to.depth, base::release);
      credit_.store(to.credit, base::release);
      shift_.store(to.shift, base::release);
    }

   private:
    base::atomic<std::uint64_t> interval_{1}, depth_{1}, credit_{0};
    base::atomic<int> shift_{0};
  };
  struct view {
    base::pair_value seen;
    terms by;
    std::int64_t full_at() const noexcept { return static_cast<std::int64_t>(seen.low); }
  };

  static terms count(const rate& allowed);
  std::int64_t now() const noexcept { return on_.now().time_since_epoch().count(); }
  view read() const noexcept;
  bool is_still(const view& was) const noexcept {
    return state_.high.load(base::relaxed) == was.seen.high;  // relaxed: after (1)
  }
  bool replace(const view& was, std::int64_t full_at) noexcept {
    return state_.compare_exchange(was.seen, {static_cast<std::uint64_t>(full_at), was.seen.high});
  }
  template <class InTime>
  std::optional<std::int64_t> take(std::uint32_t permits, std::int64_t now, InTime&& in_time) noexcept;

  const detail::place on_;
  // `low` is when the bucket will be full, in units; `high` numbers the rates, and is odd while set_rate() replaces
  // one.
  base::atomic_pair state_;
  shared_terms counted_;
  std::mutex changing_;  // admits one set_rate() at a time
};

inline rate_limiter::terms rate_limiter::count(const rate& allowed) {
  if (allowed.permits == 0) detail::refuse_option("rate_limiter: permits = 0: must be at least 1");
  if (allowed.burst == 0) detail::refuse_option("rate_limiter: burst = 0: must be at least 1, or no permit is given");
  const auto per = static_cast<std::uint64_t>((std::max)(duration(0), allowed.per).count());
  const std::uint64_t exact =
      (std::max)(std::uint64_t{1}, per / allowed.permits + (per % allowed.permits != 0 ? 1 : 0));
  const std::uint64_t places = (std::max)(allowed.burst, allowed.borrow);
  for (int shift = 0;; ++shift) {
    const std::uint64_t interval = detail::shift_up(exact, shift);
    if (detail::bounded_product(interval, places) > most_counted) continue;
    return {interval, interval * allowed.burst, interval * allowed.borrow, shift};
  }
}

// Waits for a set_rate() that is under way.
inline rate_limiter::view rate_limiter::read() const noexcept {
  for (;;) {
    // (3) acquire: pairs with (5), so that the rate is that of the number.
    const std::uint64_t number = state_.high.load(base::acquire);
    const std::uint64_t full_at = state_.low.load(base::acquire);  // (3)
    const view found{{full_at, number}, counted_.get()};
    if ((number & 1) == 0 && is_still(found)) return found;
    base::cpu_pause();
  }
}

// Returns the time of the permits, in nanoseconds, if in_time(it, terms).
template <class InTime>
std::optional<std::int64_t> rate_limiter::take(std::uint32_t permits, std::int64_t now, InTime&& in_time) noexcept {
  for (;;) {
    const view was = read();
    const int shift = was.by.shift;
    const std::int64_t now_in_units = now >> shift;
    const std::int64_t then =
        detail::later((std::max)(was.full_at(), now_in_units), detail::bounded_product(was.by.interval, permits));
    const std::int64_t in_units = detail::earlier(then, was.by.depth);
    std::int64_t at = now;
    if (in_units > now_in_units) at = in_units > INT64_MAX >> shift ? INT64_MAX : in_units * (std::int64_t{1} << shift);
    if (then == INT64_MAX || at == INT64_MAX || !in_time(at, was.by)) return std::nullopt;
    if (replace(was, then)) return at;
  }
}

inline std::optional<duration> rate_limiter::borrow(std::uint32_t permits) noexcept {
  const std::int64_t start = now();
  const auto at = take(permits, start, [start](std::int64_t then, const terms& by) {
    return then <= detail::later(start, detail::bounded_shift(by.credit, by.shift));
  });
  if (!at) return std::nullopt;
  return duration(*at - start);
}

inline std::optional<time_point> rate_limiter::reserve(deadline until, std::uint32_t permits) noexcept {
  const auto at = take(permits, now(), [until](std::int64_t then, const terms&) {
    return until.is_never() || then < until.when().time_since_epoch().count();
  });
  if (!at) return std::nullopt;
  return time_point(duration(*at));
}

template <class F>
timer rate_limiter::acquire(F&& f, deadline until, std::uint32_t permits, const timer_options& options) {
  detail::not_null("rate_limiter: f", std::forward<F>(f));
  const auto at = reserve(until, permits);
  if (!at) return {};
  const timer made = on_.try_schedule_at(*at, std::forward<F>(f), options);
  if (!made) {
    give_back(permits);
    on_.refuse(made, options);
  }
  return made;
}

inline void rate_limiter::give_back(std::uint32_t permits) noexcept {
  for (;;) {
    const view was = read();
    const std::int64_t full = now() >> was.by.shift;
    if (was.full_at() <= full) return;
    const std::uint64_t given = detail::bounded_product(was.by.interval, permits);
    if (replace(was, (std::max)(full, detail::earlier(was.full_at(), given)))) return;
  }
}

inline void rate_limiter::set_rate(const rate& allowed) {
  const terms next = count(allowed);
  const std::lock_guard lock(changing_);
  view was = read();
  // (4) seq_cst: from here on, no call changes the word or uses a rate that it has read.
  while (!state_.compare_exchange(was.seen, {was.seen.low, was.seen.high + 1})) was = read();
  const std::int64_t start = now();
  // The permits missing from the bucket, as a fraction that is rounded up below.
  const long double missing = static_cast<long double>(detail::distance(start >> was.by.shift, was.full_at())) /
                              static_cast<long double>(was.by.interval);
  const long double change =
      static_cast<long double>(next.depth / next.interval) - static_cast<long double>(was.by.depth / was.by.interval);
  const long double ahead = std::clamp((missing + change) * static_cast<long double>(next.interval), 0.0L,
                                       static_cast<long double>(most_counted));
  const auto below = static_cast<std::uint64_t>(ahead);
  const std::uint64_t rounded = below + (static_cast<long double>(below) < ahead ? 1 : 0);
  const std::int64_t full_at = detail::later(start >> next.shift, rounded);
  counted_.set(next);
  // (5) seq_cst, release at least: pairs with (3).
  state_.compare_exchange({was.seen.low, was.seen.high + 1}, {static_cast<std::uint64_t>(full_at), was.seen.high + 2});
}

}  // namespace detent::recipes
