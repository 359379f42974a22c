// SPDX-License-Identifier: MIT
#include "wall_clock.hpp"

#include <ctime>

namespace detent::detail {
namespace {

nanoseconds_t number(wall_time at) noexcept { return at.time_since_epoch().count(); }

// Does not use system_clock, which counts microseconds in some standard libraries.
nanoseconds_t read_wall() noexcept {
  timespec at{};
  clock_gettime(CLOCK_REALTIME, &at);
  return at.tv_sec * nanoseconds_t{1'000'000'000} + at.tv_nsec;
}

// A reading of the wall clock between two readings of the steady clock. The later of the two counts. The distance is
// then too small by at most the time between the two, so deadlines may be late by that, but never early.
struct bracketed {
  nanoseconds_t distance;
  nanoseconds_t uncertain;
};

bracketed read_both() noexcept {
  const nanoseconds_t before = to_ns(clock::now());
  const nanoseconds_t wall = read_wall();
  const nanoseconds_t after = to_ns(clock::now());
  return {wall - after, after - before};
}

// Takes the closest of several, because the thread may lose its core between two readings.
nanoseconds_t measure() noexcept {
  constexpr int enough = 5, most = 100;
  constexpr nanoseconds_t close = 1000;
  bracketed best = read_both();
  for (int done = 1; done < enough || (best.uncertain > close && done < most); ++done) {
    const bracketed again = read_both();
    if (again.uncertain < best.uncertain) best = again;
  }
  return best.distance;
}

}  // namespace

wall_clock::wall_clock(const engine& of, std::optional<wall_time> virtual_epoch) noexcept
    : engine_(of), virtual_(virtual_epoch.has_value()), distance_(virtual_epoch ? number(*virtual_epoch) : measure()) {}

wall_time wall_clock::now() const noexcept {
  if (!virtual_) return wall_time(duration(read_wall()));
  return wall_time(duration(add_saturated(to_ns(engine_.now()), distance_.load(base::relaxed))));
}

time_point wall_clock::deadline_of(wall_time planned) const noexcept {
  return to_time(subtract_saturated(number(planned), distance_.load(base::relaxed)));
}

time_point wall_clock::deadline_now(wall_time planned) const noexcept {
  return virtual_ ? deadline_of(planned) : to_time(subtract_saturated(number(planned), read_both().distance));
}

duration wall_clock::follow() noexcept { return put(measure()); }

duration wall_clock::set_virtual(wall_time now) noexcept {
  return put(subtract_saturated(number(now), to_ns(engine_.now())));
}

duration wall_clock::put(nanoseconds_t distance) noexcept {
  return duration(subtract_saturated(distance, distance_.exchange(distance, base::relaxed)));
}

}  // namespace detent::detail
