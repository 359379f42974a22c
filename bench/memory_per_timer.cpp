// SPDX-License-Identifier: MIT
// What does a pending timer occupy? Resident bytes over the empty engine, with a 24-byte capture, deadlines spread over
// a quarter of an hour. Fifty million only where the machine has the memory for them.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>

#include "support/live_timers.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace std::chrono_literals;

void memory_per_timer(benchmark::State& state) {
  for (auto _ : state) {
    detent::engine engine;
    const double before = detent::bench::resident_bytes();
    const auto first = detent::clock::now() + 1h;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      engine.schedule_at(first + std::chrono::microseconds(i * 7919 % 1'000'000'007),
                         [capture = std::array<char, 24>{}] { benchmark::DoNotOptimize(capture); });
    }
    detent::bench::settle(engine);
    state.counters["bytes_per_timer"] =
        (detent::bench::resident_bytes() - before) / static_cast<double>(state.range(0));
  }
}

void sizes(benchmark::internal::Benchmark* wanted) {
  constexpr std::int64_t most = 50'000'000, bytes_wanted = most * 100;
  wanted->Arg(100'000)->Arg(1'000'000);
  if (!detent::bench::smoke() && sysconf(_SC_AVPHYS_PAGES) > bytes_wanted / sysconf(_SC_PAGESIZE)) wanted->Arg(most);
}
BENCHMARK(memory_per_timer)->Apply(sizes)->Iterations(1)->Unit(benchmark::kMillisecond);
}  // namespace
