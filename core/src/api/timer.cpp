// SPDX-License-Identifier: MIT
#include <detent/timer.hpp>

#include "callers/cancel.hpp"
#include "engine/live_cores.hpp"

namespace detent {

using detail::timer_access;

namespace {

// The checked library finds the use of a handle after its engine's end, the likeliest mistake with handles.
detail::engine_core& core_of(const timer& handle) noexcept {
  detail::engine_core* core = timer_access::core(handle);
  DETENT_ASSERT(detail::live_cores::contains(core) && "the timer's engine has been destroyed");
  return *core;
}

}  // namespace

cancel_result timer::cancel() noexcept {
  detail::engine_core* core = timer_access::core(*this);
  detail::thread_record* mine;
  if (detail::thread_registry::fast_path(core, detail::fast_paths::some, mine) &&
      detail::cancel_plain(*core, *mine, timer_access::index(*this), timer_access::queued_half(*this))) [[likely]]
    return cancel_result::cancelled;
  if (core == nullptr) return cancel_result::gone;
  return detail::cancel(core_of(*this), timer_access::index(*this), timer_access::generation(*this), false);
}

cancel_result timer::cancel_and_wait() noexcept {
  if (core_ == nullptr) return cancel_result::gone;
  return detail::cancel_and_wait(core_of(*this), timer_access::index(*this), timer_access::generation(*this));
}

bool timer::restart_at(detail::clock_time deadline) noexcept {
  detail::engine_core* core = timer_access::core(*this);
  detail::thread_record* mine;
  const detail::nanoseconds_t wanted = detail::to_ns(deadline);
  if (detail::thread_registry::fast_path(core, detail::fast_paths::exact_ticks, mine) &&
      detail::restart_later(*core, *mine, timer_access::index(*this), timer_access::queued_half(*this), wanted))
      [[likely]] {
    DETENT_PROBE(restart, core, timer_access::index(*this), timer_access::id(*this), wanted);
    return true;
  }
  if (core == nullptr) return false;
  return detail::restart(core_of(*this), timer_access::index(*this), timer_access::generation(*this), wanted);
}

bool timer::restart_after(detail::whole_duration delay) noexcept {
  if (core_ == nullptr) return false;
  return restart_at(detail::to_time(detail::deadline_after(&core_of(*this), delay.count())));
}

bool timer::pending() const noexcept {
  return core_ != nullptr &&
         detail::is_pending(core_of(*this), timer_access::index(*this), timer_access::generation(*this));
}

std::optional<time_point> timer::deadline() const noexcept {
  if (core_ == nullptr) return std::nullopt;
  const std::optional<detail::nanoseconds_t> due =
      detail::deadline_of(core_of(*this), timer_access::index(*this), timer_access::generation(*this));
  if (!due) return std::nullopt;
  return detail::to_time(*due);
}

std::optional<duration> timer::remaining() const noexcept {
  const std::optional<time_point> due = deadline();
  if (!due) return std::nullopt;
  if (*due == (time_point::max)()) return (duration::max)();
  return duration(detail::subtract_saturated(detail::to_ns(*due), core_of(*this).reported_time()));
}

failure timer::error() const noexcept {
  return core_ != nullptr ? failure() : failure(timer_access::problem(*this), timer_access::kept(*this));
}

std::uint64_t scoped_timer::engine_of(const timer& owned) noexcept { return core_of(owned).number(); }

bool scoped_timer::lives() const noexcept { return timer_ && detail::live_cores::is_live(engine_); }

void scoped_timer::end() noexcept {
  if (detail::live_cores::is_live(engine_)) timer_.cancel_and_wait();
}

}  // namespace detent
