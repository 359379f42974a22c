// SPDX-License-Identifier: MIT
// The work of letting timers expire: a million are inserted, then time moves in steps until all have been taken.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "deadlines.hpp"
#include "ordered_timers.hpp"
#include "scale.hpp"

namespace detent::bench {

struct expiry_case {
  shape deadlines;
  nanoseconds first, last, step;
};
inline constexpr expiry_case uniform_case{shape::uniform, 0, 1'000'000'000, 1'000};
inline constexpr expiry_case log_uniform_case{shape::log_uniform, 1'000, 3'600'000'000'000, 1'000'000};

// Takes nothing, so only the driver's own loop remains.
class no_expiry {
 public:
  no_expiry(std::size_t, std::size_t) {}
  void insert(timer_id, nanoseconds deadline) { benchmark::DoNotOptimize(deadline); }
  template <class Take>
  void expire(nanoseconds now, Take) {
    benchmark::DoNotOptimize(now);
  }
};

template <class Kind>
void insert_and_expire(benchmark::State& state, const expiry_case& wanted) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::vector<nanoseconds> deadlines = make_delays(wanted.deadlines, count, wanted.first, wanted.last);
  using seconds = std::chrono::duration<double>;
  seconds inserting{}, expiring{};
  while (state.KeepRunningBatch(state.range(0))) {
    Kind timers(count, count);
    std::uint64_t order = 0;
    const auto began = std::chrono::steady_clock::now();
    for (timer_id id = 0; id < count; ++id) timers.insert(id, deadlines[id]);
    const auto full = std::chrono::steady_clock::now();
    for (nanoseconds now = wanted.first; now <= wanted.last + wanted.step; now += wanted.step) {
      timers.expire(now, [&order](timer_id id) { order = order * 31 + id; });
    }
    const auto ended = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(order);
    inserting += full - began;
    expiring += ended - full;
    state.SetIterationTime(seconds(ended - began).count());
  }
  const auto timers_run = static_cast<double>(state.iterations());
  state.counters["insert_ns"] = inserting.count() * 1e9 / timers_run;
  state.counters["expire_ns"] = expiring.count() * 1e9 / timers_run;
}

template <class Kind>
void register_expiry(const std::string& name) {
  for (const auto& [suffix, wanted] :
       {std::pair("/uniform", uniform_case), std::pair("/log_uniform", log_uniform_case)}) {
    benchmark::RegisterBenchmark((name + suffix).c_str(), insert_and_expire<Kind>, wanted)
        ->ArgName("timers")
        ->Arg(full_or_smoke(1'000'000, 1'000))
        ->UseManualTime();
  }
}

}  // namespace detent::bench
