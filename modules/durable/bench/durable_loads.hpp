// SPDX-License-Identifier: MIT
// Loads that are easy to be bad at: many timers in one partition or of one instant, puts and cancels that alternate,
// large payloads. Each is measured beside the easy one, in the same run.
#pragma once

#include "durable_work.hpp"

#include <detent/durable.hpp>
#include <detent/durable_store.hpp>
#include <detent/engine.hpp>

#include "support/process_cost.hpp"
#include "support/scale.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detent::bench {

// Backlogs of `count` timers, each stored and drained by turns in the same store: spread over the shards, in one
// partition, and of one instant in one partition.
template <class MakeStore>
void measure_backlogs(benchmark::State& state, MakeStore make_store, std::int64_t count) {
  std::uint64_t lost = 0;
  const auto drained = [&](const backlog& of) {
    fill(make_store(), count, of);
    return drain_rate(make_store(), count, &lost);
  };
  for (auto round : state) {
    const double spread = drained({});
    const double partition = drained({.partition = "one"});
    const double instant = drained({.partition = "one", .of_one_instant = true});
    state.counters["spread/s"] = spread;
    state.counters["one_partition/s"] = partition;
    state.counters["one_instant/s"] = instant;
    state.counters["one_partition_of_spread"] = partition / spread;
    state.counters["one_instant_of_spread"] = instant / spread;
  }
  state.counters["terms_lost"] = static_cast<double>(lost);
}

// Puts alone, and as many changes of which every second one cancels the timer before it: in a second of both.
template <class Store>
void measure_turns(benchmark::State& state, Store store, std::int64_t changes) {
  engine engine;
  durable::timers timers(engine, std::move(store), {.outbox = 1'000'000});
  const auto rate = [&](bool cancels) {
    const auto begin = steady::now();
    for (std::int64_t i = 0; i < changes; ++i) {
      const std::string key = timers.schedule_after(std::chrono::hours(1), "auction-end", {});
      if (cancels && ++i < changes) timers.cancel(key, {}, std::chrono::minutes(2));
    }
    if (!timers.flush(std::chrono::minutes(2))) throw std::runtime_error("flush");
    return static_cast<double>(changes) / seconds_since(begin);
  };
  for (auto round : state) {
    const double alone = rate(false), by_turns = rate(true);
    state.counters["put/s"] = alone;
    state.counters["change/s"] = by_turns;
    state.counters["of_puts_alone"] = by_turns / alone;
  }
}

// 10,000 timers a second for `seconds`, which are stored before they are due: how late they run, spread over the shards
// and in one partition.
template <class MakeStore>
void measure_busy_partition(benchmark::State& state, MakeStore make_store, std::int64_t seconds) {
  constexpr std::int64_t a_second = 10'000;
  const std::int64_t count = a_second * seconds;
  const auto measure = [&](const std::string& name, std::string_view partition) {
    engine engine;
    durable::timers timers(engine, make_store(), {.outbox = 2'000'000, .outbox_bytes = std::size_t{1} << 30});
    std::vector<std::int64_t> late;
    late.reserve(static_cast<std::size_t>(count));
    note_lateness(timers, late);
    timers.start();
    const wall_time first = std::chrono::system_clock::now() + std::chrono::seconds(8);
    for (std::int64_t i = 0; i < count; ++i)
      timers.schedule_at(first + i * std::chrono::microseconds(1'000'000 / a_second), "late", {},
                         {.partition = partition});
    if (!timers.flush(std::chrono::seconds(6))) throw std::runtime_error("flush");
    wait_for_runs(timers, count, std::chrono::milliseconds(50));
    std::ranges::sort(late);
    state.counters[name + "_p50_ms"] = static_cast<double>(late[late.size() / 2]) / 1e6;
    state.counters[name + "_p99_ms"] = static_cast<double>(late[late.size() * 99 / 100]) / 1e6;
  };
  for (auto round : state) {
    measure("spread", {});
    measure("one_partition", "one");
  }
}

// `count` payloads of 64 KiB into one partition of a node that is running: until they are stored, until they have run,
// and the most memory that the process had meanwhile.
template <class Store>
void measure_large_payloads(benchmark::State& state, Store store, std::int64_t count) {
  engine engine;
  durable::timers timers(engine, std::move(store));
  timers.handle("large", [](durable::job&) { return durable::outcome::done(); });
  timers.start();
  const std::vector<std::byte> payload(std::size_t{64} << 10);
  const auto put = [&](std::int64_t i) {
    try {
      timers.schedule_after(std::chrono::seconds(10), "large", payload, {.key = std::to_string(i), .partition = "one"});
      return true;
    } catch (const error& full) {
      if (full.code() != durable::errc::outbox_full) throw;
      ::usleep(500);
      return false;
    }
  };
  for (auto round : state) {
    double most = resident_bytes();
    const auto begin = steady::now();
    for (std::int64_t i = 0; i < count; i += put(i) ? 1 : 0) most = std::max(most, resident_bytes());
    if (!timers.flush(std::chrono::minutes(2))) throw std::runtime_error("flush");
    state.counters["stored_s"] = seconds_since(begin);
    while (timers.metrics().runs < static_cast<std::uint64_t>(count) || timers.metrics().ends != 0) {
      most = std::max(most, resident_bytes());
      ::usleep(1'000);
    }
    state.counters["ended_s"] = seconds_since(begin);
    state.counters["most_MiB"] = most / (1 << 20);
    state.counters["terms_lost"] = static_cast<double>(timers.metrics().terms_lost);
  }
}

}  // namespace detent::bench
