// SPDX-License-Identifier: MIT
// Measures the cost of a set of engines, and how well it isolates: a pair by key over N shards, against one; the choice
// of the shard alone; how many of the other keys' callbacks are late while one callback is stuck again and again; four
// idle shards.
//
// Read: pair/random against pair/random/shards:1, by cpu_ns: more shards make a call costlier, never cheaper.
// stuck/shards:N: late_percent falls with 1/N, as only the keys of the stuck one's shard wait; stuck_on_pool: the same
// with one engine and a pool of threads, on which a key's callbacks may overlap; stuck_on_keyed_pool: and may not.
// stuck_on_crew: threads that share the shards, each free one driving the next that is due; with one, all wait.
#include <detent/keyed_pool.hpp>
#include <detent/recipes/crew.hpp>
#include <detent/sharded_engine.hpp>
#include <detent/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "support/process_cost.hpp"
#include "support/random.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

detent::sharded_options set_of(std::int64_t shards, detent::engine_options each = {}) {
  each.reserve = 4'096;
  return {.shards = static_cast<std::size_t>(shards), .each = each};
}

void pair_random(benchmark::State& state) {
  detent::sharded_engine set(set_of(state.range(0)));
  cheap_random random(1);
  run_counting_cpu(state, [&] { set.of(random.next()).schedule_after(1h, [] {}).cancel(); });
}

void pair_one_key(benchmark::State& state) {
  detent::sharded_engine set(set_of(state.range(0)));
  cheap_random random(1);
  run_counting_cpu(state, [&] {
    benchmark::DoNotOptimize(random.next());
    set.of(7).schedule_after(1h, [] {}).cancel();
  });
}

void find_by_key(benchmark::State& state) {
  detent::sharded_engine set(set_of(8, {.drive = detent::drive_kind::caller}));
  std::uint64_t key = 0;
  for (auto _ : state) benchmark::DoNotOptimize(&set.of(++key));
}

void find_local(benchmark::State& state) {
  detent::sharded_engine set(set_of(8, {.drive = detent::drive_kind::caller}));
  if (state.range(0) != 0) set.bind_this_thread(3);
  for (auto _ : state) benchmark::DoNotOptimize(&set.local());
}

constexpr int stuck_keys = 40;
constexpr detent::duration stuck_period = 500ms, stuck_for = 100ms, heartbeat = 10ms, late_from = 1ms;

// Has 40 keys with two timers of 10 ms each. A callback of key 0 sleeps for 100 ms twice a second.
void get_stuck(benchmark::State& state, detent::sharded_engine& set) {
  std::atomic<std::uint64_t> runs{0}, late{0};
  for (int key = 0; key < stuck_keys; ++key) {
    for (int i = 0; i < 2; ++i) {
      const auto beat = [&, key](detent::firing& now) {
        if (key == 0) return;
        runs += 1 + now.missed();
        late += now.missed() + (now.lateness() > late_from ? 1 : 0);  // missed periods count as late
      };
      set.of(key).schedule_at_fixed_rate(heartbeat * (key + 1) / stuck_keys, heartbeat, beat,
                                         {.tag = static_cast<std::uint64_t>(key)});
    }
  }
  set.of(0).schedule_at_fixed_rate(stuck_period / 4, stuck_period, [] { std::this_thread::sleep_for(stuck_for); });
  for (auto _ : state) std::this_thread::sleep_for(std::chrono::milliseconds(full_or_smoke(8'000, 200)));
  static_cast<void>(set.stop());
  state.counters["late_percent"] =
      100.0 * static_cast<double>(late) / static_cast<double>(std::max<std::uint64_t>(runs, 1));
  state.counters["runs"] = static_cast<double>(runs);
}

void stuck(benchmark::State& state) {
  detent::sharded_engine set(set_of(state.range(0)));
  get_stuck(state, set);
}

template <class Pool, class Options>
void stuck_on(benchmark::State& state) {
  detent::sharded_engine set(set_of(1, {.executor = std::make_shared<Pool>(Options{.threads = 3})}));
  get_stuck(state, set);
}
void stuck_on_pool(benchmark::State& state) { stuck_on<detent::thread_pool, detent::thread_pool_options>(state); }
void stuck_on_keyed_pool(benchmark::State& state) { stuck_on<detent::keyed_pool, detent::keyed_pool_options>(state); }

void stuck_on_crew(benchmark::State& state) {
  detent::sharded_engine set(set_of(state.range(0), {.drive = detent::drive_kind::caller}));
  const detent::recipes::crew drivers(set, {.threads = static_cast<std::size_t>(state.range(1))});
  get_stuck(state, set);
}

void idle_shards(benchmark::State& state) {
  for (auto _ : state) {
    detent::sharded_engine set(set_of(4));
    for (detent::engine& each : set) each.schedule_after(1h, [] {});
    std::this_thread::sleep_for(50ms);  // lets the workers fall asleep
    const std::uint64_t wakeups = set.metrics().wakeups;
    const std::int64_t cpu = process_cpu_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(full_or_smoke(2'000, 50)));
    state.counters["cpu_us"] = static_cast<double>(process_cpu_ns() - cpu) / 1e3;
    state.counters["wakeups"] = static_cast<double>(set.metrics().wakeups - wakeups);
  }
}

void by_shards(benchmark::internal::Benchmark* wanted) {
  for (const std::int64_t shards : {1, 2, 4, 8, 16, 64}) wanted->ArgName("shards")->Arg(shards);
}
void lasting(benchmark::internal::Benchmark* wanted) {
  wanted->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(pair_random)->Apply(by_shards);
BENCHMARK(pair_one_key)->Apply(by_shards);
BENCHMARK(find_by_key);
BENCHMARK(find_local)->ArgName("bound")->Arg(0)->Arg(1);
BENCHMARK(stuck)->Apply(lasting)->ArgName("shards")->Arg(1)->Arg(4)->Arg(8);
BENCHMARK(stuck_on_pool)->Apply(lasting);
BENCHMARK(stuck_on_keyed_pool)->Apply(lasting);
BENCHMARK(stuck_on_crew)->Apply(lasting)->ArgNames({"shards", "threads"})->Args({8, 1})->Args({8, 2})->Args({32, 3});
BENCHMARK(idle_shards)->Apply(lasting);

}  // namespace
