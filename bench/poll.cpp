// SPDX-License-Identifier: MIT
// What does poll() cost a caller's loop when nothing is due: on an empty engine and with timers pending, and once
// wake_fd has been opened, which then has to be kept true? What does next_deadline() cost?
//
// Read: the bound of each is floor_clock_reading, as poll() must know the time.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <chrono>

#include "support/bare_floors.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

struct caller_driven {
  explicit caller_driven(std::int64_t pending) {
    cheap_random random(1);
    for (std::int64_t i = 0; i < pending; ++i) engine.schedule_after(1h + detent::duration(random.next()), [] {});
    engine.poll();
  }
  detent::engine engine{{.drive = detent::drive_kind::caller}};
};

void nothing_due(benchmark::State& state) {
  caller_driven driven(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(driven.engine.poll());
}

void nothing_due_wake_fd_open(benchmark::State& state) {
  caller_driven driven(state.range(0));
  benchmark::DoNotOptimize(driven.engine.wake_fd());
  for (auto _ : state) benchmark::DoNotOptimize(driven.engine.poll());
}

void next_deadline(benchmark::State& state) {
  caller_driven driven(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(driven.engine.next_deadline());
}

void pending(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("pending")->Arg(0)->Arg(1)->Arg(full_or_smoke(100'000, 1'000));
}

BENCHMARK(floor_clock_reading);
BENCHMARK(nothing_due)->Apply(pending);
BENCHMARK(nothing_due_wake_fd_open)->Apply(pending);
BENCHMARK(next_deadline)->Apply(pending);

}  // namespace
