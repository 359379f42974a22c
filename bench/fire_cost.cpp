// SPDX-License-Identifier: MIT
// What does a timer cost the whole process, from its schedule to the end of its callback? One-shot timers, all due
// within a second: at one instant, or spread uniformly; the callback counts. At a tick of 1 ns each deadline is met by
// itself, and the worker spins from one to the next (hybrid wait), so its CPU is bounded by the second and not by the
// work; at 1 ms whole batches come due, and the rest of the time it sleeps, but for hybrid's spinning before each
// batch. `prefault` has the memory of `reserve` there before it begins, `hashed` is the hashed wheel of 512 slots.
//
// Read: cpu_ns is CPU of all threads by the number of timers, schedule included. The bound is floor_sort_and_call: the
// deadlines sorted, the nodes visited in that order, each called through a pointer.
#include <detent/detent.hpp>
#include <detent/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "support/deadlines.hpp"
#include "support/line_memory.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

constexpr std::int64_t shortest = 1'000;
const std::int64_t longest = full_or_smoke(1'000'000'000, 50'000'000);
constexpr auto lead = 50ms;  // from the first schedule call to the earliest deadlines

// Counts callbacks. wait() returns when the last one has run.
class countdown {
 public:
  explicit countdown(std::size_t count) : left_(count) {}
  void step() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.set_value();
  }
  void wait() { done_.get_future().wait(); }

 private:
  std::atomic<std::size_t> left_;
  std::promise<void> done_;
};

struct firing_case {
  shape delays = shape::uniform;
  detent::duration tick = 1ns;
  bool pool = false;
  detent::wait_options wait = detent::wait_options::hybrid();
  detent::preference prefault = detent::preference::off;
  detent::wheel_kind wheel = detent::wheel_kind::hierarchical;
};

void report(benchmark::State& state, std::int64_t cpu_ns, std::size_t timers) {
  state.counters["cpu_ns"] = static_cast<double>(cpu_ns) / static_cast<double>(timers);
}

void fire(benchmark::State& state, const firing_case& wanted) {
  const auto count = static_cast<std::size_t>(full_or_smoke(state.range(0), 10'000));
  const auto delays = make_delays(wanted.delays, count, shortest, longest);
  for (auto _ : state) {
    detent::engine_options options{
        .tick = wanted.tick, .wait = wanted.wait, .reserve = count, .memory = {.prefault = wanted.prefault}};
    options.wheel = wanted.wheel;  // apart: builds before 0.9, which `bench --against` measures, have another order
    options.hashed_slots = 512;
    if (wanted.pool) {
      options.executor = std::make_shared<detent::thread_pool>(detent::thread_pool_options{.queue_capacity = count});
    }
    detent::engine engine(std::move(options));
    countdown fired(count);
    const std::int64_t before = process_cpu_ns();
    const auto start = engine.now() + lead;
    for (std::int64_t delay : delays) {
      engine.schedule_at(start + detent::duration(delay), [&fired] { fired.step(); });
    }
    fired.wait();
    report(state, process_cpu_ns() - before, count);
    engine.stop();
    state.counters["late_p99_us"] = static_cast<double>(engine.metrics().lateness.percentile(99).count()) / 1e3;
  }
}

struct alignas(64) called {
  void (*call)(std::uint64_t&) = nullptr;
};

void floor_sort_and_call(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(full_or_smoke(state.range(0), 10'000));
  const auto delays = make_delays(shape::uniform, count, shortest, longest);
  line_memory<called> nodes(count);
  for (auto _ : state) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> order(count);
    std::uint64_t calls = 0;
    const std::int64_t before = process_cpu_ns();
    for (std::uint32_t i = 0; i < count; ++i) {
      nodes[i].call = [](std::uint64_t& counter) { ++counter; };
      order[i] = {delays[i], i};
    }
    std::sort(order.begin(), order.end());
    for (const auto& each : order) nodes[each.second].call(calls);
    benchmark::DoNotOptimize(calls);
    report(state, process_cpu_ns() - before, count);
  }
}

void timers(benchmark::internal::Benchmark* wanted, std::int64_t count) {
  wanted->ArgName("timers")->Arg(count)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}
void one_million(benchmark::internal::Benchmark* wanted) { timers(wanted, 1'000'000); }
void two_million(benchmark::internal::Benchmark* wanted) { timers(wanted, 2'000'000); }

using detent::wait_options;
firing_case prefaulted(detent::wheel_kind wheel) {
  return {.tick = 1ms, .wait = wait_options::sleep(), .prefault = detent::preference::attempt, .wheel = wheel};
}
BENCHMARK(floor_sort_and_call)->Apply(one_million);
BENCHMARK_CAPTURE(fire, tick_1ms_uniform, {.tick = 1ms})->Apply(two_million);
BENCHMARK_CAPTURE(fire, tick_1ms_uniform, {.tick = 1ms})->Apply(one_million);
BENCHMARK_CAPTURE(fire, tick_1ms_uniform_sleep, {.tick = 1ms, .wait = wait_options::sleep()})->Apply(two_million);
BENCHMARK_CAPTURE(fire, tick_1ms_uniform_sleep, {.tick = 1ms, .wait = wait_options::sleep()})->Apply(one_million);
BENCHMARK_CAPTURE(fire, tick_1ms_prefault, prefaulted(detent::wheel_kind::hierarchical))->Apply(two_million);
BENCHMARK_CAPTURE(fire, tick_1ms_prefault_hashed, prefaulted(detent::wheel_kind::hashed))->Apply(two_million);
BENCHMARK_CAPTURE(fire, tick_1ms_uniform_pool, {.tick = 1ms, .pool = true})->Apply(one_million);
BENCHMARK_CAPTURE(fire, tick_1ns_same_instant, {.delays = shape::same})->Apply(one_million);
BENCHMARK_CAPTURE(fire, tick_1ns_uniform, {})->Apply(one_million);

}  // namespace
