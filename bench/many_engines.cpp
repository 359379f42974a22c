// SPDX-License-Identifier: MIT
// What do several engines cost a process? What each thread keeps for each engine, and many small engines.
//
// Read: bytes_a_pair is memory per (thread, engine), bytes_left what stays of it when the threads have ended; `one` is
// an engine with the defaults, `small` makes engines with a timer each.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

using engines = std::vector<std::unique_ptr<detent::engine>>;

engines make_engines(std::int64_t count, const detent::engine_options& how) {
  engines made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(std::make_unique<detent::engine>(how));
  return made;
}

// Starts threads that call each engine once, and measures the memory that stays when they have ended.
void threads_by_engines(benchmark::State& state) {
  const std::int64_t count = full_or_smoke(64, 4), threads = full_or_smoke(200, 10);
  for (auto _ : state) {
    const engines all = make_engines(count, {.wait = detent::wait_options::sleep()});
    for (const auto& each : all) each->schedule_after(1h, [] {});
    std::atomic<std::int64_t> called{0};
    std::atomic<bool> over{false};
    const double before = resident_bytes();
    std::vector<std::thread> callers;
    for (std::int64_t i = 0; i < threads; ++i) {
      callers.emplace_back([&] {
        for (const auto& each : all) each->schedule_after(1h, [] {}).cancel();
        called.fetch_add(1);
        over.wait(false);
      });
    }
    while (called.load() != threads) std::this_thread::sleep_for(1ms);
    const auto pairs = static_cast<double>(count * threads);
    state.counters["bytes_a_pair"] = (resident_bytes() - before) / pairs;
    for (const auto& each : all) each->schedule_after(1ms, [] {});  // makes the workers take the submissions
    std::this_thread::sleep_for(100ms);
    over.store(true);
    over.notify_all();
    for (std::thread& each : callers) each.join();
    std::this_thread::sleep_for(1s);
    state.counters["bytes_left"] = (resident_bytes() - before) / pairs;
  }
}

void small(benchmark::State& state) {
  for (auto _ : state) {
    const double before = resident_bytes();
    const engines all = make_engines(state.range(0), {.drive = detent::drive_kind::caller, .reserve = 0});
    for (const auto& each : all) {
      each->schedule_after(1h, [] {});
      each->poll();
    }
    state.counters["bytes_an_engine"] = (resident_bytes() - before) / static_cast<double>(state.range(0));
  }
}

// With the defaults. It measures a process's second engine, because the first one brings what all engines share.
void one(benchmark::State& state) {
  const detent::engine first;
  for (auto _ : state) {
    const double before = resident_bytes();
    detent::engine engine;
    state.counters["bytes_made"] = resident_bytes() - before;
    engine.schedule_after(1h, [] {});
    state.counters["bytes_with_a_timer"] = resident_bytes() - before;
  }
}

BENCHMARK(one)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(threads_by_engines)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(small)->ArgName("engines")->Arg(full_or_smoke(2'000, 50))->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
