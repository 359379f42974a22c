// SPDX-License-Identifier: MIT
// What does it cost to start an engine and to stop one, with its default memory reserve, empty and with timers pending?
//
// Read: Time is the caller's. The bound of start and destroy is floor_thread, a thread started and joined; of stop()
// with timers pending, a visit to each node, whose timer it gives back.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

#include "support/live_timers.hpp"
#include "support/random.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

void floor_thread(benchmark::State& state) {
  for (auto _ : state) std::thread([] {}).join();
}

void start_and_destroy(benchmark::State& state, detent::drive_kind drive) {
  for (auto _ : state) detent::engine engine({.drive = drive});
}

void stop_with_pending(benchmark::State& state) {
  for (auto _ : state) {
    detent::engine engine;
    cheap_random random(1);
    for (std::int64_t i = 0; i < state.range(0); ++i)
      engine.schedule_after(1h + detent::duration(random.next()), [] {});
    settle(engine);
    const auto began = detent::clock::now();
    const auto pending = engine.stop();
    state.SetIterationTime(std::chrono::duration<double>(detent::clock::now() - began).count());
    if (static_cast<std::int64_t>(pending.size()) != state.range(0)) state.SkipWithError("stop() lost timers");
  }
}

BENCHMARK(floor_thread)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(start_and_destroy, caller, detent::drive_kind::caller)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(start_and_destroy, worker, detent::drive_kind::worker)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(stop_with_pending)
    ->ArgName("pending")
    ->Arg(0)
    ->Arg(full_or_smoke(100'000, 1'000))
    ->Iterations(full_or_smoke(20, 2))
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
