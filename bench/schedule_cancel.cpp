// SPDX-License-Identifier: MIT
// What does a producer pay? Schedule and cancel on a worker-driven engine with one far timer pending, beside the floors
// that bound it: a clock reading and an uncontended compare-and-swap.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <vector>

namespace {

using namespace std::chrono_literals;

detent::engine& shared_engine() {
  static detent::engine engine;
  static detent::timer far = engine.schedule_after(1h, [] {});
  benchmark::DoNotOptimize(far);
  return engine;
}

void clock_reading(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(detent::clock::now());
}
BENCHMARK(clock_reading);

void compare_and_swap(benchmark::State& state) {
  std::atomic<std::uint64_t> word{0};
  std::uint64_t expected = 0;
  for (auto _ : state) {
    word.compare_exchange_strong(expected, expected + 1, std::memory_order_acq_rel);
    ++expected;
  }
}
BENCHMARK(compare_and_swap);

// Keeps `window` timers live, and cancels the oldest for each one scheduled.
template <class Schedule>
void pairs(benchmark::State& state, Schedule schedule) {
  std::vector<detent::timer> live(static_cast<std::size_t>(state.range(0)));
  for (detent::timer& each : live) each = schedule(shared_engine());
  std::size_t oldest = 0;
  for (auto _ : state) {
    live[oldest].cancel();
    live[oldest] = schedule(shared_engine());
    if (++oldest == live.size()) oldest = 0;
  }
  for (detent::timer& each : live) each.cancel();
}

void schedule_at_and_cancel(benchmark::State& state) {
  auto base = detent::clock::now() + 2s;
  pairs(state, [&](detent::engine& engine) { return engine.schedule_at(base += 10ns, [] {}); });
}
BENCHMARK(schedule_at_and_cancel)->Arg(1)->Arg(1000)->Arg(100000)->Threads(1)->Threads(2);

void schedule_after_and_cancel(benchmark::State& state) {
  pairs(state, [](detent::engine& engine) { return engine.schedule_after(2s, [] {}); });
}
BENCHMARK(schedule_after_and_cancel)->Arg(1)->Arg(1000)->Arg(100000)->Threads(1)->Threads(2);

void restart_later(benchmark::State& state) {
  detent::timer idle = shared_engine().schedule_after(1h, [] {});
  auto deadline = detent::clock::now() + 1h;
  for (auto _ : state) benchmark::DoNotOptimize(idle.restart_at(deadline += 10ns));
  idle.cancel();
}
BENCHMARK(restart_later);

}  // namespace
