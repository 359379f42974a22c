// SPDX-License-Identifier: MIT
// The clock that is read from the time-stamp counter: whoever reads while another fits anew is told the time of one
// fit, never of a mixture. The counter and steady_clock are the scenario's.
#include "scenario.hpp"

#include <detent/base/time_stamp.hpp>
#include <detent/time.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>

namespace model {
namespace {

using detent::detail::nanoseconds_t;

// What time it is. No choice of a schedule but the order of those who read it, so nobody's to race for.
struct world_time {
  // Between two readings of the counter.
  static constexpr std::uint64_t step = 1000;
  std::uint64_t ticks = 0;
  nanoseconds_t ns = 0;
  nanoseconds_t ns_per_tick = 1;

  void pass(std::uint64_t more) {
    ticks += more;
    ns += static_cast<nanoseconds_t>(more) * ns_per_tick;
  }
};
world_time& now() {
  static world_time one;
  return one;
}

}  // namespace
}  // namespace model

// Found before the real ones by what tsc_clock.cpp calls.
namespace detent::detail {
namespace base {
using namespace detent::base;
inline std::uint64_t read_time_stamp() noexcept {
  model::now().pass(model::world_time::step);
  return model::now().ticks;
}
}  // namespace base
struct clock {
  // Half way to the next reading of the counter, as a sample takes it to be.
  static time_point now() noexcept {
    const model::world_time& is = model::now();
    return to_time(is.ns + static_cast<nanoseconds_t>(model::world_time::step / 2) * is.ns_per_tick);
  }
};
}  // namespace detent::detail

// Compiled against the explorer, and with a mutant's fault in it. Nobody sleeps: the readings take time enough.
#define sleep_for(span) yield()
#include "tsc_clock.cpp"
#undef sleep_for

namespace model {
namespace {

using detent::detail::tsc_clock;

// Beyond what the first fit is good for, and not so far that it counts as a suspend. More than cores differ by.
constexpr std::uint64_t too_far = 500'000;
constexpr nanoseconds_t least_bound = 200, most_bound = 100'000;

tsc_clock& make_clock(execution& run) {
  now() = {};
  now().ticks = 10'000'000;  // it has run before
  return run.make<tsc_clock>("clock");
}

// A mixture of two fits is off by what lies between them.
void read(tsc_clock& clock) {
  constexpr nanoseconds_t tolerance = 4 * static_cast<nanoseconds_t>(world_time::step);
  const nanoseconds_t before = now().ns;
  const nanoseconds_t told = clock.now();
  require(told >= before - tolerance && told <= now().ns + tolerance, "the time of no fit");
}

// `happens`: what makes a fit that is no longer right.
template <class F>
void read_beside_a_fit(execution& run, F happens) {
  tsc_clock& clock = make_clock(run);
  run.thread("fits", [&clock, happens] {
    happens();
    read(clock);
  });
  run.thread("reads", [&clock] { read(clock); });
  run.join();
}

void read_where_time_passed(execution& run) {
  read_beside_a_fit(run, [] { now().pass(too_far); });
}

// From the second fit on the counter is slower, by half.
void read_where_the_rate_changed(execution& run) {
  read_beside_a_fit(run, [] {
    now().ns_per_tick = 2;
    now().pass(too_far);
  });
}

void read_after_a_suspend(execution& run) {
  read_beside_a_fit(run, [] {
    now().ns += 10'000'000;
    now().pass(too_far);
  });
}

// The span's beginning is nobody's atomic: only one of them fits.
void two_fit(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().ns += 10'000'000;
  now().pass(too_far);
  for (const char* name : {"fits", "fits too"}) run.thread(name, [&clock] { read(clock); });
  run.join();
}

// What a suspend lasted counts for no rate.
void fit_behind_a_suspend(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().ns += 10'000'000;
  for (int fits = 0; fits != 3; ++fits) {
    now().pass(5'500'000);
    read(clock);
    now().pass(4'000'000);
    read(clock);
  }
}

// As behind a suspend that it does not outlive, or on another host. What is right of the old fit is its rate.
void set_back() { now().ticks = 0; }

void read_where_the_counter_was_set_back(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().pass(too_far);
  read(clock);
  run.thread("fits", [&clock] {
    set_back();
    read(clock);
  });
  run.thread("reads", [&clock] { read(clock); });
  run.join();
  for (int fits = 0; fits != 3; ++fits) {
    now().pass(4'000'000);
    read(clock);
  }
}

// Right behind a fit, before anything parts by as much as a suspend's length.
void set_back_soon(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().pass(too_far);
  read(clock);
  set_back();
  for (int readings = 0; readings != 3; ++readings) {
    read(clock);
    now().pass(too_far);
  }
}

// Cores' counters differ a little: no reason for a fit, and none to go back.
void a_shade_behind(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().pass(too_far);
  const nanoseconds_t told = clock.now();
  const nanoseconds_t bound = clock.error_bound();
  now().ticks -= 100'000;
  for (int readings = 0; readings != 3; ++readings) {
    require(clock.now() == told, "stands still until the counter has come so far");
  }
  now().pass(200'000);
  require(clock.now() > told && clock.error_bound() == bound, "goes on by the same fit");
}

// Twice what a fit was off by, and that for a while.
void bound_of_the_error(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().pass(100'000'000'000);
  clock.now();
  require(clock.error_bound() == least_bound, "nothing was off");
  now().ns += 30'000;
  now().pass(2'000'000'000);
  clock.now();
  nanoseconds_t bound = clock.error_bound();
  require(bound >= 2 * 30'000 && bound <= most_bound, "what the fit was off by, twice");
  for (int fits = 0; fits != 40; ++fits) {
    now().pass(2'000'000'000);
    clock.now();
    require(clock.error_bound() >= bound * 7 / 8, "forgets slowly");
    bound = clock.error_bound();
  }
  require(bound < 30'000, "forgets");
  now().ns += 10'000'000;
  now().pass(2'000'000'000);
  clock.now();
  require(clock.error_bound() == most_bound, "a suspend says nothing of the fit");
}

const suite clock_fit("ClockFit", {
                                      {"ReadWhereTimePassed", read_where_time_passed},
                                      {"ReadWhereTheRateChanged", read_where_the_rate_changed},
                                      {"ReadAfterASuspend", read_after_a_suspend},
                                      {"TwoFit", two_fit},
                                      {"FitBehindASuspend", fit_behind_a_suspend},
                                      {"ReadWhereTheCounterWasSetBack", read_where_the_counter_was_set_back},
                                      {"SetBackSoon", set_back_soon},
                                      {"AShadeBehind", a_shade_behind},
                                      {"BoundOfTheError", bound_of_the_error},
                                  });

}  // namespace
}  // namespace model
