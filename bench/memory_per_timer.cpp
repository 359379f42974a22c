// SPDX-License-Identifier: MIT
// What does a pending timer occupy? Resident bytes over the empty engine, with a 24-byte capture, deadlines spread over
// a quarter of an hour. DETENT_BENCH_TIMERS=50000000 in the environment adds a run with as many.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "support/live_timers.hpp"

namespace {

using namespace std::chrono_literals;

double resident_bytes() {
  std::uint64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void memory_per_timer(benchmark::State& state) {
  for (auto _ : state) {
    detent::engine engine;
    const double before = resident_bytes();
    const auto first = detent::clock::now() + 1h;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      engine.schedule_at(first + std::chrono::microseconds(i * 7919 % 1'000'000'007),
                         [capture = std::array<char, 24>{}] { benchmark::DoNotOptimize(capture); });
    }
    detent::bench::settle(engine);
    state.counters["bytes_per_timer"] = (resident_bytes() - before) / static_cast<double>(state.range(0));
  }
}

void sizes(benchmark::internal::Benchmark* wanted) {
  wanted->Arg(100'000)->Arg(1'000'000);
  if (const char* more = std::getenv("DETENT_BENCH_TIMERS")) wanted->Arg(std::atoll(more));
}
BENCHMARK(memory_per_timer)->Apply(sizes)->Iterations(1)->Unit(benchmark::kMillisecond);
}  // namespace
