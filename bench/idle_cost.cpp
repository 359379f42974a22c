// SPDX-License-Identifier: MIT
// What does an engine cost that has nothing to do? One timer an hour away; the thread that waits makes one switch
// itself.
//
// Read: against `no_engine`, which waits as long: wakeups (of the worker), switches (context switches of the process)
// and cpu_us should be the same, but for busy mode, which takes a whole CPU.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <optional>
#include <thread>

#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

void wait(benchmark::State& state, const detent::engine* idle) {
  const std::uint64_t wakeups = idle != nullptr ? idle->metrics().wakeups : 0;
  const std::int64_t switches = context_switches(), cpu = process_cpu_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(state.range(0)));
  state.counters["cpu_us"] = static_cast<double>(process_cpu_ns() - cpu) / 1e3;
  state.counters["switches"] = static_cast<double>(context_switches() - switches);
  state.counters["wakeups"] = static_cast<double>(idle != nullptr ? idle->metrics().wakeups - wakeups : 0);
}

void no_engine(benchmark::State& state) {
  for (auto _ : state) wait(state, nullptr);
}

void idle(benchmark::State& state, const detent::wait_options& how) {
  for (auto _ : state) {
    detent::engine engine({.wait = how});
    engine.schedule_after(1h, [] {});
    std::this_thread::sleep_for(20ms);  // lets the worker fall asleep
    wait(state, &engine);
  }
}

void lasting(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("ms")->Arg(full_or_smoke(2'000, 50))->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

using detent::wait_options;
BENCHMARK(no_engine)->Apply(lasting);
BENCHMARK_CAPTURE(idle, hybrid, wait_options::hybrid())->Apply(lasting);
BENCHMARK_CAPTURE(idle, sleep, wait_options::sleep())->Apply(lasting);
BENCHMARK_CAPTURE(idle, busy, wait_options::busy())->Apply(lasting);

}  // namespace
