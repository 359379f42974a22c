// SPDX-License-Identifier: MIT
// The work that every store of durable timers is measured with.
#pragma once

#include <detent/durable.hpp>
#include <detent/engine.hpp>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace detent::bench {

using steady = std::chrono::steady_clock;

inline double seconds_since(steady::time_point begin) {
  return std::chrono::duration<double>(steady::now() - begin).count();
}

inline void wait_for_runs(const durable::timers& of, std::int64_t count, std::chrono::microseconds between) {
  while (of.metrics().runs < static_cast<std::uint64_t>(count)) ::usleep(static_cast<useconds_t>(between.count()));
}

// `count` timers, a millisecond apart from `ahead` on, which is beyond the horizon: how late they run, on an idle
// machine.
template <class Store>
void measure_lateness(benchmark::State& state, Store store, std::int64_t count, std::chrono::milliseconds ahead) {
  engine engine;
  durable::timers timers(engine, std::move(store));
  std::vector<std::int64_t> late;
  late.reserve(static_cast<std::size_t>(count));
  timers.handle("late", [&](durable::job& of) {
    late.push_back((std::chrono::system_clock::now() - of.due()).count());  // the worker alone writes it
    return durable::outcome::done();
  });
  timers.start();
  for (auto round : state) {
    for (std::int64_t i = 0; i < count; ++i)
      timers.schedule_after(ahead + i * std::chrono::milliseconds(1), "late", {});
    wait_for_runs(timers, count, std::chrono::milliseconds(50));
  }
  std::ranges::sort(late);
  state.counters["p50_us"] = static_cast<double>(late[late.size() / 2]) / 1e3;
  state.counters["p99_us"] = static_cast<double>(late[late.size() * 99 / 100]) / 1e3;
}

// How fast `count` overdue timers come out and end. make_store() is called twice: to fill it, and to drain it.
template <class MakeStore>
void measure_drain(benchmark::State& state, MakeStore make_store, std::int64_t count) {
  {
    engine engine;
    durable::timers timers(engine, make_store(), {.outbox = 2'000'000});
    for (std::int64_t i = 0; i < count; ++i) timers.schedule_after(std::chrono::seconds(0), "overdue", {});
    timers.flush(std::chrono::minutes(2));
  }
  engine engine;
  durable::timers timers(engine, make_store());
  timers.handle("overdue", [](durable::job&) { return durable::outcome::done(); });
  const auto begin = steady::now();
  for (auto round : state) {
    timers.start();
    wait_for_runs(timers, count, std::chrono::milliseconds(1));
  }
  state.counters["run_and_ended/s"] = static_cast<double>(count) / seconds_since(begin);
}

}  // namespace detent::bench
