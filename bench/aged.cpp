// SPDX-License-Identifier: MIT
// Does an engine age? A producer replaces the oldest of many live timers, on a fresh engine and on one on which two
// million timers have fired in random order, whose free nodes have come back in that order.
//
// Read: fresh_ns and aged_ns are the producer's CPU for a pair of schedule_at and cancel, medians of rounds in turn,
// each with engines of its own; ratio is the median of the rounds' own ratios, worst the highest. process_ratio
// compares the CPU of the whole process.
#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <vector>

#include "support/deadlines.hpp"
#include "support/live_timers.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

const int rounds = static_cast<int>(full_or_smoke(7, 1));
const auto fired_before = static_cast<std::size_t>(full_or_smoke(2'000'000, 10'000));
const std::int64_t fired_within = full_or_smoke(1'000'000'000, 20'000'000);
constexpr auto lead = 50ms;  // from the first schedule call to the earliest deadlines
constexpr std::int64_t pairs_of_a_round = 1 << 20;

// Has all timers pending at once, and waits until the last one has fired.
void age(detent::engine& engine) {
  std::atomic<std::size_t> left = fired_before;
  std::promise<void> done;
  const auto start = engine.now() + lead;
  for (const std::int64_t delay : make_delays(shape::uniform, fired_before, 1'000, fired_within)) {
    engine.schedule_at(start + detent::duration(delay), [&left, &done] {
      if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) done.set_value();
    });
  }
  done.get_future().wait();
}

struct pair_cost {
  double producer, process;
};

pair_cost replace_oldest(detent::engine& engine, std::int64_t live) {
  live_timers timers(live, 1, schedule_at_counted(engine));
  settle(engine);
  const std::int64_t pairs = smoke() ? live : pairs_of_a_round;
  const std::int64_t process = process_cpu_ns(), thread = thread_cpu_ns();
  for (std::int64_t i = 0; i != pairs; ++i) timers.replace(timers.oldest());
  const auto per_pair = [pairs](std::int64_t ns) { return static_cast<double>(ns) / static_cast<double>(pairs); };
  return {.producer = per_pair(thread_cpu_ns() - thread), .process = per_pair(process_cpu_ns() - process)};
}

pair_cost measure(bool aged, std::int64_t live) {
  engine_at_work at_work;
  if (aged) age(at_work.engine);
  return replace_oldest(at_work.engine, live);
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

void aged(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<double> fresh_ns, aged_ns, ratios, of_process;
    for (int round = 0; round != rounds; ++round) {
      const pair_cost fresh = measure(false, state.range(0)), old = measure(true, state.range(0));
      fresh_ns.push_back(fresh.producer);
      aged_ns.push_back(old.producer);
      ratios.push_back(old.producer / fresh.producer);
      of_process.push_back(old.process / fresh.process);
    }
    state.counters["fresh_ns"] = median(fresh_ns);
    state.counters["aged_ns"] = median(aged_ns);
    state.counters["ratio"] = median(ratios);
    state.counters["worst"] = *std::max_element(ratios.begin(), ratios.end());
    state.counters["process_ratio"] = median(of_process);
  }
}

BENCHMARK(aged)
    ->ArgName("live")
    ->Arg(full_or_smoke(100'000, 1'000))
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
