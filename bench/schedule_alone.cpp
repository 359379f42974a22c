// SPDX-License-Identifier: MIT
// What does a producer pay for schedule alone, on an engine with nothing but a far timer and on a full one? Each round
// schedules 4096 timers, which is timed, and cancels them, which is not.
//
// Read: Time is the producer's for one timer. The bound is floor_exchange_8, or floor_clock_reading for the delays; a
// full engine's free nodes have left the cache.
#include <benchmark/benchmark.h>

#include "support/bare_floors.hpp"
#include "support/live_timers.hpp"
#include "support/scale.hpp"

#include <chrono>

namespace {

using namespace detent::bench;

template <class Schedule>
void schedule(benchmark::State& state) {
  constexpr int round = 4096;
  engine_at_work at_work;
  Schedule make(at_work.engine);
  live_timers live(state.range(0), 1, make);
  settle(at_work.engine);
  cheap_random random(2);
  std::vector<detent::timer> made(round);
  while (state.KeepRunningBatch(round)) {
    const auto began = detent::clock::now();
    for (detent::timer& each : made) each = make(random);
    state.SetIterationTime(std::chrono::duration<double>(detent::clock::now() - began).count());
    for (detent::timer& each : made) each.cancel();
  }
}

void fills(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("live")->Arg(0)->Arg(full_or_smoke(1'000'000, 10'000))->UseManualTime();
  if (!smoke()) wanted->Iterations(1 << 21);
}

BENCHMARK(floor_clock_reading);
BENCHMARK(floor_exchange_8);
BENCHMARK_TEMPLATE(schedule, schedule_at_counted)->Apply(fills);
BENCHMARK_TEMPLATE(schedule, schedule_after_now)->Apply(fills);

}  // namespace
