// SPDX-License-Identifier: MIT
#include "driver/waiter.hpp"

#include "limits.hpp"
#include "platform/probe.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

constexpr nanoseconds_t first_guess = 60'000;
constexpr nanoseconds_t least = 1'000;
// The oversleep margin rises by this many steps on an oversleep beyond it and falls by one on any other: it settles
// where one in twenty sleeps is longer, or one in 200 where more spinning is allowed than hybrid() uses by itself.
constexpr nanoseconds_t rises = 19, rises_for_the_tail = 199;
// A step is this share of the margin; the long rises take small steps, or they would overshoot.
constexpr nanoseconds_t share = 256, share_for_the_tail = 1024;

nanoseconds_t longest_spin(const wait_options& options, nanoseconds_t tick) noexcept {
  if (options.mode != wait_options::kind::hybrid) return 0;
  nanoseconds_t asked = options.max_spin.count();
  return tick < limits::coarse_tick ? asked : std::min(asked, tick / limits::coarse_share);
}

}  // namespace

oversleep_margin::oversleep_margin(nanoseconds_t at_most) noexcept
    : at_most_(at_most),
      for_the_tail_(at_most > wait_options::hybrid().max_spin.count()),
      margin_(std::min(at_most, first_guess)) {}

void oversleep_margin::learn(nanoseconds_t oversleep) noexcept {
  const nanoseconds_t step = std::max<nanoseconds_t>(margin_ / (for_the_tail_ ? share_for_the_tail : share), 20);
  margin_ += oversleep > margin_ ? (for_the_tail_ ? rises_for_the_tail : rises) * step : -step;
  margin_ = std::clamp(margin_, std::min(least, at_most_), at_most_);
}

waiter::waiter(const wait_options& options, nanoseconds_t tick, const clock_reader& time, doorbell& bell) noexcept
    : mode_(options.mode),
      light_(options.light_spin ? std::optional(choose_pause_here()) : std::nullopt),
      time_(time),
      bell_(bell),
      margin_(longest_spin(options, tick)) {}

int waiter::limit_cpu_latency(duration limit, const char* device) noexcept { return latency_.open(limit, device); }

// Holds or lifts the limit for the sleep that begins now; until when that may last.
nanoseconds_t waiter::settle_latency(nanoseconds_t now, nanoseconds_t target) noexcept {
  if (target == forever || target - now > limits::held_throughout) {
    latency_.release();
    return target == forever ? forever : target - limits::held_at_the_end;
  }
  latency_.hold();
  return target;
}

bool waiter::sleep(nanoseconds_t deadline, const void* engine) noexcept {
  if (mode_ == wait_options::kind::busy) return rest(deadline);
  for (;;) {
    nanoseconds_t target = deadline == forever ? forever : subtract_saturated(deadline, margin_.get());
    nanoseconds_t now = time_.now();
    if (now >= target && target != forever) return rest(deadline);
    const nanoseconds_t until = latency_.is_open() ? settle_latency(now, target) : target;
    waited_ = true;
    DETENT_PROBE(sleep, engine, until);
    if (!bell_.sleep(until)) return false;
    DETENT_PROBE(wake, engine, until);
    wakeups_.store(wakeups_.load(base::relaxed) + 1, base::relaxed);  // relaxed: one writer, a count of its own
    if (bell_.has_rung()) return false;
    now = time_.now();
    if (target != forever && now >= target) {
      margin_.learn(now - target);
      return rest(deadline);
    }
  }
}

// Does the first part of the spin, if that is to be a light one. Returns false if the bell has rung.
bool waiter::rest(nanoseconds_t deadline) noexcept {
  if (!light_) return true;
  const nanoseconds_t until = deadline == forever ? forever : subtract_saturated(deadline, limits::bare_spin);
  for (; !bell_.has_rung(); waited_ = true) {
    if (until != forever && time_.now() >= until) return true;
    pause_lightly(*light_);
  }
  return false;
}

// Bounded by the clock alone, and reading it is pause enough: a pause instruction would only add to the lateness. The
// certain clock: it ends the wait by itself, and what a callback reads first is in the caches.
std::optional<nanoseconds_t> waiter::spin(nanoseconds_t deadline) noexcept {
  for (; !bell_.has_rung(); waited_ = true) {
    if (deadline == forever) {
      base::cpu_pause();
    } else if (const nanoseconds_t now = time_.certain(); now >= deadline) {
      return now;
    }
  }
  return std::nullopt;
}

}  // namespace detent::detail
