// SPDX-License-Identifier: MIT
// What does a heartbeat cost? 200,000 periodic timers of one second, spread over it evenly, on an engine with a tick of
// 1 ms that sleeps; each by itself, or as a member of one of 1,000 groups. The callback counts.
//
// Read: cpu_ns is the CPU of the whole process by the runs of two seconds, once all are in their stride. A one-shot
// timer at that tick is fire_cost's tick_1ms_prefault: a periodic one is not scheduled again each time.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <thread>

#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

const std::int64_t timers = full_or_smoke(200'000, 1'000);
constexpr std::int64_t group_count = 1'000;
const detent::duration period = full_or_smoke(1'000, 20) * 1ms;

// schedule(first, beat) makes a timer that first fires after `first`.
template <class Schedule>
void beat(benchmark::State& state, detent::engine& engine, Schedule schedule) {
  std::atomic<std::int64_t> beats{0};  // relaxed: one thread writes, and it publishes nothing else
  const auto count = [&beats] { beats.store(beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); };
  for (std::int64_t i = 0; i < timers; ++i) schedule(i, 50ms + period * i / timers, count);
  std::this_thread::sleep_for(50ms + period);
  const std::int64_t beats_before = beats.load(std::memory_order_relaxed), before = process_cpu_ns();
  std::this_thread::sleep_for(2 * period);
  const auto used = static_cast<double>(process_cpu_ns() - before);
  state.counters["cpu_ns"] = used / static_cast<double>(beats.load(std::memory_order_relaxed) - beats_before);
  engine.stop();  // nothing is counted afterwards
}

detent::engine_options options() {
  return {.tick = 1ms,
          .wait = detent::wait_options::sleep(),
          .reserve = static_cast<std::size_t>(timers),
          .memory = {.prefault = detent::preference::attempt}};
}

void alone(benchmark::State& state) {
  for (auto _ : state) {
    detent::engine engine(options());
    beat(state, engine, [&](std::int64_t, detent::duration first, const auto& count) {
      engine.schedule_at_fixed_rate(first, period, count);
    });
  }
}

void in_1000_groups(benchmark::State& state) {
  for (auto _ : state) {
    detent::engine engine(options());
    std::deque<detent::timer_group> groups;
    for (std::int64_t i = 0; i < group_count; ++i) groups.emplace_back(engine);
    beat(state, engine, [&](std::int64_t i, detent::duration first, const auto& count) {
      groups[static_cast<std::size_t>(i % group_count)].schedule_at_fixed_rate(first, period, count);
    });
  }
}

BENCHMARK(alone)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(in_1000_groups)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
