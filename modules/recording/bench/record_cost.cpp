// SPDX-License-Identifier: MIT
// The cost of schedule + cancel for a producer whose engine keeps every operation in engine_options::record: bursts
// that the recorder has room for, with a pause after each in which it writes.
//
// Read: Time is the producer's, of one pair, without the pauses. The bound is pair/recorded:0, the same without a
// recording. A burst that did not fit would be cheaper than it is: `dropped` in the file ends the run with an error.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "support/live_timers.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;

constexpr int pairs_of_a_burst = 16'384;  // of two operations each, which fill half of the recorder's room
constexpr std::int64_t live_timers_kept = 1'000;

bool has_dropped(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("# dropped")) return true;
  return false;
}

void run_bursts(benchmark::State& state, detent::engine& engine) {
  [[maybe_unused]] const detent::timer far = engine.schedule_after(far_delay, [] {});
  live_timers live(live_timers_kept, 1, schedule_at_counted(engine));
  settle(engine);
  for (auto _ : state) {
    std::this_thread::sleep_for(50ms);  // lets the recorder write and the worker recycle nodes
    const auto began = detent::clock::now();
    for (int i = 0; i < pairs_of_a_burst; ++i) live.replace(live.oldest());
    const std::chrono::duration<double> took = detent::clock::now() - began;
    state.SetIterationTime(took.count() / pairs_of_a_burst);
  }
}

void pair(benchmark::State& state) {
  const std::string path = "record_cost." + std::to_string(::getpid()) + ".trace";
  const bool recorded = state.range(0) != 0;
  {
    detent::engine engine({.record = recorded ? path : std::string()});
    run_bursts(state, engine);
  }
  if (recorded && has_dropped(path)) state.SkipWithError("the recorder had no room for a burst");
  std::remove(path.c_str());
}

BENCHMARK(pair)->ArgName("recorded")->Arg(0)->Arg(1)->UseManualTime()->Iterations(full_or_smoke(40, 2));

}  // namespace
