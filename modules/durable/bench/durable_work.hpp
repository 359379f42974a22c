// SPDX-License-Identifier: MIT
// The work that every store of durable timers is measured with.
#pragma once

#include <detent/durable.hpp>
#include <detent/engine.hpp>

#include "support/scale.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
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

// Look-ups among `count` timers: one by its name, and all of them in pages, with how late timers run meanwhile and how
// late they run without.
template <class Store>
void measure_look_ups(benchmark::State& state, Store store, std::int64_t count) {
  engine engine;
  durable::timers timers(engine, std::move(store), {.outbox = 2'000'000, .outbox_bytes = std::size_t{1} << 30});
  std::vector<std::int64_t> late;
  timers.handle("late", [&](durable::job& of) {
    late.push_back((std::chrono::system_clock::now() - of.due()).count());  // the worker alone writes it
    return durable::outcome::done();
  });
  std::mt19937_64 random(1);
  const std::vector<std::byte> body(64);
  for (std::int64_t i = 0; i < count; ++i)
    timers.schedule_after(std::chrono::hours(1) + std::chrono::microseconds(random() % 86'400'000'000), "auction-end",
                          body, {.key = "k" + std::to_string(i)});
  if (!timers.flush(std::chrono::minutes(10))) throw std::runtime_error("flush");
  timers.start();
  const auto worst_of = [&](std::int64_t runs, auto&& meanwhile) {
    late.clear();
    late.reserve(static_cast<std::size_t>(runs));
    const std::uint64_t before = timers.metrics().runs;
    for (std::int64_t i = 0; i < runs; ++i)
      timers.schedule_after(std::chrono::seconds(2) + i * std::chrono::milliseconds(5), "late", {});
    ::usleep(1'800'000);
    meanwhile();
    wait_for_runs(timers, static_cast<std::int64_t>(before) + runs, std::chrono::milliseconds(50));
    std::ranges::sort(late);
    return std::pair(static_cast<double>(late[late.size() * 99 / 100]) / 1e6, static_cast<double>(late.back()) / 1e6);
  };
  std::vector<std::int64_t> took;
  for (auto round : state) {
    const std::int64_t gets = full_or_smoke(5'000, 100);
    for (std::int64_t i = 0; i < gets; ++i) {
      const auto begin = steady::now();
      if (!timers.get("k" + std::to_string(random() % static_cast<std::uint64_t>(count))))
        throw std::runtime_error("get");
      took.push_back((steady::now() - begin).count());
    }
    const std::int64_t runs = full_or_smoke(2'000, 20);
    const auto alone = worst_of(runs, [] {});
    double seconds = 0;
    const auto beside = worst_of(runs, [&] {
      const auto begin = steady::now();
      std::size_t seen = 0;
      std::string after;
      do {
        const durable::listed_page page = timers.page({.handler = "auction-end", .limit = 1000}, after);
        seen += page.timers.size();
        after = page.next;
      } while (!after.empty());
      if (seen != static_cast<std::size_t>(count)) throw std::runtime_error("page");
      seconds = seconds_since(begin);
    });
    // What a thread of the caller's costs on this machine that asks nothing of the store.
    const auto beside_a_loop = worst_of(runs, [&] {
      for (const auto begin = steady::now(); seconds_since(begin) < seconds;) benchmark::DoNotOptimize(seconds);
    });
    state.counters["late_p99_beside_a_loop_ms"] = beside_a_loop.first;
    state.counters["late_worst_beside_a_loop_ms"] = beside_a_loop.second;
    state.counters["late_p99_ms"] = alone.first;
    state.counters["late_worst_ms"] = alone.second;
    state.counters["late_p99_beside_ms"] = beside.first;
    state.counters["late_worst_beside_ms"] = beside.second;
    state.counters["all_pages_s"] = seconds;
  }
  std::ranges::sort(took);
  state.counters["get_p50_us"] = static_cast<double>(took[took.size() / 2]) / 1e3;
  state.counters["get_p99_us"] = static_cast<double>(took[took.size() * 99 / 100]) / 1e3;
}

}  // namespace detent::bench
