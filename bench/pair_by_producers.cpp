// SPDX-License-Identifier: MIT
// What does schedule + cancel cost when several threads do it at once, each with live timers of its own, on one engine?
//
// Read: Time is wall time by the pairs of all producers together, cpu_ns the whole process's for one pair; flat cpu_ns
// means that they do not hinder each other, as long as there is a core for each. schedule_after adds one clock reading.
#include <benchmark/benchmark.h>

#include "support/bare_floors.hpp"
#include "support/live_timers.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;

engine_at_work& shared() {
  static engine_at_work at_work;
  return at_work;
}

template <class Schedule>
void pair(benchmark::State& state) {
  const auto seed = static_cast<std::uint64_t>(state.thread_index()) + 1;
  live_timers live(state.range(0), seed, Schedule(shared().engine));
  run_counting_cpu(state, [&] { live.replace(live.oldest()); });
}

void producers(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("live_each")->Arg(1)->Arg(1'000);
  if (!smoke()) wanted->Arg(100'000);
  wanted->Threads(1)->Threads(2)->Threads(4)->UseRealTime();
}

BENCHMARK(floor_hand_over)->UseRealTime();
BENCHMARK(floor_clock_reading)->UseRealTime();
BENCHMARK_TEMPLATE(pair, schedule_at_counted)->Apply(producers);
BENCHMARK_TEMPLATE(pair, schedule_after_now)->Apply(producers);

}  // namespace
