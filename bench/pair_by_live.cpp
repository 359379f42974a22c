// SPDX-License-Identifier: MIT
// What does a producer pay for schedule + cancel when many timers are live? For each cancelled timer one is scheduled,
// its deadline 1 to 5.3 s after the one that the engine waits for: the oldest goes, or any. `pair` is through
// schedule_at, `pair_after` through schedule_after, which reads the clock.
//
// Read: Time is the producer's, CPU its CPU time, cpu_ns the whole process's, the worker's insertions included. In the
// cache the bound is floor_hand_over; of large numbers floor_pair_through_handle, which does all that schedule + cancel
// cannot do without; driver_loop is the loop and its array of handles alone, and the exchanges at random are what it
// takes to touch a timer's line once, alone and through its handle.
#include <benchmark/benchmark.h>

#include "support/bare_floors.hpp"
#include "support/bare_pairs.hpp"
#include "support/live_timers.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

// The floors hand over through moodycamel's queue, whose fences ThreadSanitizer does not see.
extern "C" const char* __tsan_default_suppressions() { return "race:moodycamel::"; }

namespace {

using namespace detent::bench;

template <victim Which, class Schedule = schedule_at_counted>
void pair(benchmark::State& state) {
  engine_at_work at_work;
  live_timers live(state.range(0), 1, Schedule(at_work.engine));
  settle(at_work.engine);
  run_counting_cpu(state, [&] { live.replace(live.choose(Which)); });
}

// Does the same without an engine.
template <victim Which>
void driver_loop(benchmark::State& state) {
  std::uint64_t made = 0;
  const auto base = detent::clock::now();
  live_timers live(state.range(0), 1, [&](cheap_random& random) {
    benchmark::DoNotOptimize(base + measured_delay(random));
    benchmark::DoNotOptimize(++made);
    return detent::timer();
  });
  run_counting_cpu(state, [&] { live.replace(live.choose(Which)); });
}

BENCHMARK(floor_hand_over)->UseRealTime();
BENCHMARK(floor_exchange_8)->UseRealTime();
BENCHMARK(floor_exchange_16)->UseRealTime();

[[maybe_unused]] const bool registered = [] {
  register_by_live("floor_exchange_16_at_random", floor_exchange_16_at_random,
                   {1'000, 100'000, 1'000'000, 5'000'000, 10'000'000});
  register_by_live("floor_exchange_16_through_handle", floor_exchange_16_through_handle,
                   {1'000, 100'000, 1'000'000, 5'000'000, 10'000'000});
  register_by_live("floor_pair_through_handle", floor_pair_through_handle, {100'000, 5'000'000});
  register_by_live("driver_loop/oldest", driver_loop<victim::oldest>, {1, 1'000, 1'000'000, 10'000'000});
  register_by_live("driver_loop/any", driver_loop<victim::any>, {1'000, 100'000, 1'000'000, 5'000'000, 10'000'000});
  register_by_live("pair/oldest", pair<victim::oldest>, {1, 1'000, 100'000, 1'000'000, 5'000'000, 10'000'000});
  register_by_live("pair/any", pair<victim::any>, {1'000, 100'000, 1'000'000, 5'000'000, 10'000'000});
  register_by_live("pair_after/oldest", pair<victim::oldest, schedule_after_now>, {1, 100'000});
  register_by_live("pair_after/any", pair<victim::any, schedule_after_now>, {100'000, 5'000'000});
  return true;
}();

}  // namespace
