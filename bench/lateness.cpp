// SPDX-License-Identifier: MIT
// How late are callbacks in each wait mode, and what CPU does that take? 1,000 timers a second with delays of 1 to 100
// ms, made by another thread, which sleeps in between. Beside it the same deadlines on a bare thread: one that spins on
// the clock, and one that sleeps with a timer slack of 1 ns.
//
// Read: busy and hybrid against floor_spin, sleep against floor_sleep, in this run: the tails are the host's.
// cpu_percent is of one CPU and of the whole process, worker_percent without the thread that schedules.
#include <benchmark/benchmark.h>

#include "support/lateness.hpp"
#include "support/scale.hpp"
#include "support/worker_cpu.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

// Runs `work`. Reports the CPU time of all threads, and of all others than this one, divided by the wall time.
template <class Work>
void with_cpu_percent(benchmark::State& state, Work work) {
  const auto began = detent::clock::now();
  const std::int64_t before = process_cpu_ns(), own_before = thread_cpu_ns();
  work();
  const auto own = static_cast<double>(thread_cpu_ns() - own_before);
  const auto cpu = static_cast<double>(process_cpu_ns() - before);
  const auto wall = static_cast<double>((detent::clock::now() - began).count());
  state.counters["cpu_percent"] = 100 * cpu / wall;
  state.counters["worker_percent"] = 100 * (cpu - own) / wall;
}

void floor_spin(benchmark::State& state) {
  const auto plan = plan_timers(state.range(0));
  for (auto _ : state) {
    lateness_samples lateness(0);
    with_cpu_percent(state, [&] { lateness = meet_bare(plan, spin_until); });
    lateness.report(state);
  }
}

void floor_sleep(benchmark::State& state) {
  const auto plan = plan_timers(state.range(0));
  set_fine_timer_slack();
  for (auto _ : state) {
    lateness_samples lateness(0);
    with_cpu_percent(state, [&] { lateness = meet_bare(plan, sleep_until); });
    lateness.report(state);
  }
}

void engine(benchmark::State& state, const detent::wait_options& wait) {
  const auto plan = plan_timers(state.range(0));
  for (auto _ : state) {
    detent::engine engine({.wait = wait, .cpu = worker_cpu()});
    lateness_samples lateness(plan.size());
    with_cpu_percent(state, [&] { meet_by_engine(engine, plan, lateness); });
    engine.stop();
    lateness.report(state);
  }
}

void lasting(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("ms")->Arg(full_or_smoke(3'000, 100))->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

using detent::wait_options;
BENCHMARK(floor_spin)->Apply(lasting);
BENCHMARK_CAPTURE(engine, busy, wait_options::busy())->Apply(lasting);
BENCHMARK_CAPTURE(engine, hybrid_500us, wait_options::hybrid(500us))->Apply(lasting);
BENCHMARK_CAPTURE(engine, hybrid, wait_options::hybrid())->Apply(lasting);
BENCHMARK_CAPTURE(engine, sleep, wait_options::sleep())->Apply(lasting);
BENCHMARK(floor_sleep)->Apply(lasting);

}  // namespace
