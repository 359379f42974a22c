// SPDX-License-Identifier: MIT
// What does a producer pay to restart a timer: to a later deadline, to an earlier one (which wakes nobody here), and
// by a delay, as idle timeouts do; the oldest of `live` timers in turn, or any.
//
// Read: Time is the producer's, cpu_ns the whole process's. Later is one 16-byte exchange and nothing else: its bound
// is floor_exchange_16, or the same through a handle at random. Earlier adds an entry, a fence and the worker's
// insertion; a delay adds floor_clock_reading.
#include <benchmark/benchmark.h>

#include "support/bare_floors.hpp"
#include "support/live_timers.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

#include <chrono>

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

constexpr auto first_delay = 10h;

// All timers start with one deadline, long after the one that the engine waits for.
template <victim Which, class Restart>
void restart_each(benchmark::State& state, detent::time_point deadline, Restart restart) {
  engine_at_work at_work;
  live_timers live(state.range(0), 1, [&](cheap_random&) { return at_work.engine.schedule_at(deadline, [] {}); });
  settle(at_work.engine);
  bool all_done = true;
  run_counting_cpu(state, [&] { all_done &= restart(live.choose(Which)); });
  if (!all_done) state.SkipWithError("a restart found its timer gone");
}

template <victim Which>
void later(benchmark::State& state) {
  auto deadline = detent::clock::now() + first_delay;
  restart_each<Which>(state, deadline, [&](detent::timer& each) { return each.restart_at(deadline += 1ns); });
}

template <victim Which>
void earlier(benchmark::State& state) {
  auto deadline = detent::clock::now() + first_delay;
  restart_each<Which>(state, deadline, [&](detent::timer& each) { return each.restart_at(deadline -= 1ns); });
}

template <victim Which>
void by_delay(benchmark::State& state) {
  const auto deadline = detent::clock::now() + first_delay;
  restart_each<Which>(state, deadline, [](detent::timer& each) { return each.restart_after(first_delay); });
}

BENCHMARK(floor_exchange_16)->UseRealTime();
BENCHMARK(floor_clock_reading)->UseRealTime();

[[maybe_unused]] const bool registered = [] {
  register_by_live("floor_exchange_16_through_handle", floor_exchange_16_through_handle,
                   {1'000, 100'000, 1'000'000, 10'000'000});
  register_by_live("later/oldest", later<victim::oldest>, {1, 1'000, 1'000'000});
  register_by_live("later/any", later<victim::any>, {1'000, 100'000, 1'000'000, 10'000'000});
  register_by_live("earlier/oldest", earlier<victim::oldest>, {1, 1'000, 1'000'000});
  register_by_live("earlier/any", earlier<victim::any>, {1'000, 100'000, 1'000'000});
  register_by_live("by_delay/oldest", by_delay<victim::oldest>, {1, 1'000, 1'000'000});
  return true;
}();

}  // namespace
