// SPDX-License-Identifier: MIT
// The cost of a keyed pool beside that of a thread pool and of the worker alone, and the effect of a stuck callback on
// the timers of other keys. All pools have three threads; a timer's key is its tag.
//
// at_once: timers of one instant whose callbacks count. Read: cpu_ns and wall_ns a callback, from the first hand-over,
// which is why they are scheduled well ahead of it; switches are context switches for 1,000 callbacks. thread_pool
// keeps no order. `in_turn` offers half of them again, as the queue holds 65,536.
// steady: 20,000 timers a second, one by one. Read: cpu_ns a callback, the engine's worker included, which sleeps.
// stuck: 40 keys with two timers of 10 ms each; a callback of one key sleeps 100 ms every 0.5 s. Read: late_percent,
// the share of the runs of other keys that come more than 1 ms late, p50_us, their median, and overlaps, how often two
// callbacks of one key ran at once. A machine whose cores are busy adds its own late runs to all of them.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

constexpr std::size_t pool_threads = 3;

enum class where : std::uint8_t { worker, pool, keyed };

std::shared_ptr<detent::executor> executor_of(where kind, std::size_t room = 65536) {
  switch (kind) {
    case where::worker: return nullptr;
    case where::pool:
      return std::make_shared<detent::thread_pool>(
          detent::thread_pool_options{.threads = pool_threads, .queue_capacity = room});
    case where::keyed:
      return std::make_shared<detent::keyed_pool>(
          detent::keyed_pool_options{.threads = pool_threads, .queue_capacity = room});
  }
  return nullptr;
}

struct burst_case {
  where kind = where::keyed;
  std::uint64_t keys = 1'000;
  bool has_room = true;
};

// A line for each key, because callbacks of different keys run at the same time.
struct alignas(64) tally {
  std::atomic<std::uint64_t> runs{0};
};

void at_once(benchmark::State& state, burst_case wanted) {
  const auto count = static_cast<std::size_t>(full_or_smoke(1'000'000, 10'000));
  for (auto _ : state) {
    // A running timer is no longer pending, so the engine must end before the objects that its callbacks use.
    std::vector<tally> tallies(1024);
    detent::engine engine({.executor = executor_of(wanted.kind, wanted.has_room ? count : 65536),
                           .on_refusal = detent::refusal_policy::retry,
                           .reserve = count});
    const detent::time_point due = detent::clock::now() + 1s;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t key = i % wanted.keys;
      tally& mine = tallies[key % tallies.size()];
      engine.schedule_at(due, [&mine] { mine.runs.fetch_add(1, std::memory_order_relaxed); }, {.tag = key});
    }
    if (detent::clock::now() > due - 50ms) return state.SkipWithError("scheduling took too long");
    std::this_thread::sleep_until(due - 50ms);
    const std::int64_t before = process_cpu_ns(), switches = context_switches();
    while (engine.pending() != 0) std::this_thread::sleep_for(1ms);
    const auto wall = (detent::clock::now() - due).count();
    const auto each = static_cast<double>(count);
    state.counters["cpu_ns"] = static_cast<double>(process_cpu_ns() - before) / each;
    state.counters["wall_ns"] = static_cast<double>(wall) / each;
    state.counters["switches"] = static_cast<double>(context_switches() - switches) / each * 1e3;
  }
}

void steady(benchmark::State& state, where kind) {
  constexpr std::size_t timers = 1'000;
  constexpr auto period = 50ms;
  const auto lasts = smoke() ? 100ms : 2s;
  for (auto _ : state) {
    detent::engine engine({.wait = detent::wait_options::sleep(), .executor = executor_of(kind)});
    for (std::size_t i = 0; i < timers; ++i)
      engine.schedule_at_fixed_rate(period + i * period / timers, period, [] {}, {.tag = i});
    std::this_thread::sleep_for(2 * period);
    const std::uint64_t fired = engine.metrics().fired;
    const std::int64_t before = process_cpu_ns(), switches = context_switches();
    std::this_thread::sleep_for(lasts);
    const std::int64_t used = process_cpu_ns() - before, switched = context_switches() - switches;
    const auto runs = static_cast<double>(engine.metrics().fired - fired);
    state.counters["cpu_ns"] = static_cast<double>(used) / runs;
    state.counters["switches"] = static_cast<double>(switched) / runs * 1e3;
  }
}

// Records how late the runs were, and whether two of one key ever ran at the same time.
class watch {
 public:
  static constexpr std::uint64_t keys = 40, stuck_key = 7;

  watch() {
    for (std::atomic<int>& each : running_) each = 0;
  }
  void run(std::uint64_t key, const detent::firing& f, bool sticks) {
    if (running_[key].fetch_add(1) != 0) ++overlaps_;
    if (sticks) std::this_thread::sleep_for(100ms);
    if (key != stuck_key) {
      const std::lock_guard lock(mutex_);
      late_.push_back(f.lateness());
    }
    running_[key].fetch_sub(1);
  }
  void report(benchmark::State& state) {
    const std::lock_guard lock(mutex_);
    std::sort(late_.begin(), late_.end());
    const auto too_late = late_.end() - std::upper_bound(late_.begin(), late_.end(), detent::duration(1ms));
    state.counters["late_percent"] = 100.0 * static_cast<double>(too_late) / static_cast<double>(late_.size());
    state.counters["p50_us"] = static_cast<double>(late_[late_.size() / 2].count()) / 1e3;
    state.counters["overlaps"] = overlaps_.load();
  }

 private:
  std::array<std::atomic<int>, keys> running_;
  std::atomic<int> overlaps_{0};
  std::mutex mutex_;
  std::vector<detent::duration> late_;
};

void stuck(benchmark::State& state, where kind) {
  constexpr auto period = 10ms;
  const auto lasts = smoke() ? 700ms : 10s;
  for (auto _ : state) {
    watch seen;
    detent::engine engine({.executor = executor_of(kind)});
    for (std::uint64_t i = 0; i < 2 * watch::keys; ++i) {
      const std::uint64_t key = i / 2;
      engine.schedule_at_fixed_rate(period + i * period / (2 * watch::keys), period,
                                    [&seen, key](detent::firing& f) { seen.run(key, f, false); },
                                    {.missed_policy = detent::missed_ticks::burst, .tag = key});
    }
    engine.schedule_at_fixed_rate(500ms, 500ms, [&seen](detent::firing& f) { seen.run(watch::stuck_key, f, true); },
                                  {.tag = watch::stuck_key});
    std::this_thread::sleep_for(lasts);
    engine.stop();
    seen.report(state);
  }
}

void once(benchmark::internal::Benchmark* wanted) {
  wanted->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(at_once, worker, {.kind = where::worker})->Apply(once);
BENCHMARK_CAPTURE(at_once, thread_pool, {.kind = where::pool})->Apply(once);
BENCHMARK_CAPTURE(at_once, keyed_one_key, {.keys = 1})->Apply(once);
BENCHMARK_CAPTURE(at_once, keyed_1000_keys, {})->Apply(once);
BENCHMARK_CAPTURE(at_once, keyed_all_differ, {.keys = 1'000'000})->Apply(once);
BENCHMARK_CAPTURE(at_once, thread_pool_in_turn, {.kind = where::pool, .has_room = false})->Apply(once);
BENCHMARK_CAPTURE(at_once, keyed_in_turn, {.has_room = false})->Apply(once);
BENCHMARK_CAPTURE(steady, worker, where::worker)->Apply(once);
BENCHMARK_CAPTURE(steady, thread_pool, where::pool)->Apply(once);
BENCHMARK_CAPTURE(steady, keyed, where::keyed)->Apply(once);
BENCHMARK_CAPTURE(stuck, worker, where::worker)->Apply(once);
BENCHMARK_CAPTURE(stuck, thread_pool, where::pool)->Apply(once);
BENCHMARK_CAPTURE(stuck, keyed, where::keyed)->Apply(once);

}  // namespace
