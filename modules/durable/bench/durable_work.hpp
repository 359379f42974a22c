// SPDX-License-Identifier: MIT
// The work that every store of durable timers is measured with.
#pragma once

#include <detent/durable.hpp>
#include <detent/durable_store.hpp>
#include <detent/engine.hpp>

#include "support/scale.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
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

// Adds to `late` by how much each run of the handler "late" comes after its time, in ns.
inline void note_lateness(durable::timers& timers, std::vector<std::int64_t>& late) {
  timers.handle("late", [&late](durable::job& of) {
    late.push_back((std::chrono::system_clock::now() - of.due()).count());  // the worker alone writes it
    return durable::outcome::done();
  });
}

// `count` timers, a millisecond apart from `ahead` on, which is beyond the horizon: how late they run, on an idle
// machine.
template <class Store>
void measure_lateness(benchmark::State& state, Store store, std::int64_t count, std::chrono::milliseconds ahead) {
  engine engine;
  durable::timers timers(engine, std::move(store));
  std::vector<std::int64_t> late;
  late.reserve(static_cast<std::size_t>(count));
  note_lateness(timers, late);
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

// Where the timers of a backlog lie: without a partition, anywhere.
struct backlog {
  std::string_view partition = {};
  bool of_one_instant = false;
};

// Stores `count` timers that are due already.
template <class Store>
void fill(Store store, std::int64_t count, const backlog& of = {}) {
  engine engine;
  durable::timers timers(engine, std::move(store), {.outbox = 2'000'000, .outbox_bytes = std::size_t{1} << 30});
  const wall_time begin = std::chrono::system_clock::now();
  for (std::int64_t i = 0; i < count; ++i)
    timers.schedule_at(of.of_one_instant ? begin : std::chrono::system_clock::now(), "overdue", {},
                       {.partition = of.partition});
  if (!timers.flush(std::chrono::minutes(2))) throw std::runtime_error("flush");
}

// How many of `count` overdue timers run a second, from the start of a node until the store has the end of the last.
template <class Store>
double drain_rate(Store store, std::int64_t count, std::uint64_t* terms_lost = nullptr) {
  engine engine;
  durable::timers timers(engine, std::move(store));
  timers.handle("overdue", [](durable::job&) { return durable::outcome::done(); });
  const auto begin = steady::now();
  timers.start();
  wait_for_runs(timers, count, std::chrono::milliseconds(1));
  while (timers.metrics().ends != 0) ::usleep(1000);
  const double took = seconds_since(begin);
  if (terms_lost != nullptr) *terms_lost += timers.metrics().terms_lost;
  return static_cast<double>(count) / took;
}

template <class MakeStore>
void measure_drain(benchmark::State& state, MakeStore make_store, std::int64_t count) {
  fill(make_store(), count);
  for (auto round : state) state.counters["run_and_ended/s"] = drain_rate(make_store(), count);
}

// `detent durable list` of all timers that one of this build prints, if it is built; what it prints is dropped.
inline std::string command_that_lists(const std::string& address, std::int64_t count) {
  const auto command = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../bin/detent";
  if (address.empty() || !std::filesystem::exists(command)) return {};
  return command.string() + " durable list --limit " + std::to_string(count) + " --store '" + address + "' >/dev/null";
}

// Many timers, half of them in partitions, and how late others run beside look-ups among them.
class looked_up {
 public:
  looked_up(const std::shared_ptr<durable::store>& store, std::int64_t count)
      : store_(store),
        view_(store->view_apart()),
        count_(static_cast<std::uint64_t>(count)),
        timers_(engine_, store, {.outbox = 2'000'000, .outbox_bytes = std::size_t{1} << 30}) {
    timers_.handle("late", [this](durable::job& of) {
      late_.push_back((std::chrono::system_clock::now() - of.due()).count());  // the worker alone writes it
      return durable::outcome::done();
    });
    const std::vector<std::byte> body(64);
    for (std::uint64_t i = 0; i != count_; ++i)
      timers_.schedule_after(std::chrono::hours(1) + std::chrono::microseconds(random_() % 86'400'000'000),
                             "auction-end", body, {.key = key_of(i), .partition = partition_of(i)});
    if (!timers_.flush(std::chrono::minutes(10))) throw std::runtime_error("flush");
    timers_.start();
  }

  // One by its name, and one by its key alone.
  void get(std::vector<std::int64_t>& by_name, std::vector<std::int64_t>& by_key) {
    const std::uint64_t number = random_() % count_;
    const std::string key = key_of(number);
    auto begin = steady::now();
    if (!timers_.get({key, partition_of(number)})) throw std::runtime_error("get");
    by_name.push_back((steady::now() - begin).count());
    begin = steady::now();
    std::vector<durable::listed_record> found;
    const durable::timer_ref bare{durable::shard_of(key, {}, store_->shards()), durable::stored_key(key)};
    if (view_->find_by_key({bare}, found) != durable::errc{} || found.size() != 1)
      throw std::runtime_error("find_by_key");
    by_key.push_back((steady::now() - begin).count());
  }

  void page_through() {
    std::size_t seen = 0;
    std::string after;
    do {
      const durable::listed_page page = timers_.page({.handler = "auction-end", .limit = 1000}, after);
      seen += page.timers.size();
      after = page.next;
    } while (!after.empty());
    if (seen != count_) throw std::runtime_error("page");
  }

  // How late timers run beside that, by these names and ..._ms. Returns how long it took, in seconds.
  template <class Meanwhile>
  double measure_lateness(benchmark::State& state, const std::string& name, Meanwhile&& meanwhile) {
    const std::int64_t runs = full_or_smoke(2'000, 20);
    late_.clear();
    late_.reserve(static_cast<std::size_t>(runs));
    const std::uint64_t before = timers_.metrics().runs;
    for (std::int64_t i = 0; i < runs; ++i)
      timers_.schedule_after(std::chrono::seconds(2) + i * std::chrono::milliseconds(5), "late", {});
    ::usleep(1'800'000);
    const auto begin = steady::now();
    meanwhile();
    const double took = seconds_since(begin);
    wait_for_runs(timers_, static_cast<std::int64_t>(before) + runs, std::chrono::milliseconds(50));
    std::ranges::sort(late_);
    state.counters["late_p99" + name + "_ms"] = static_cast<double>(late_[late_.size() * 99 / 100]) / 1e6;
    state.counters["late_worst" + name + "_ms"] = static_cast<double>(late_.back()) / 1e6;
    return took;
  }

 private:
  static std::string key_of(std::uint64_t i) { return "k" + std::to_string(i); }
  static std::string partition_of(std::uint64_t i) { return i % 2 == 0 ? "" : "p" + std::to_string(i % 10'000); }

  const std::shared_ptr<durable::store> store_;
  const std::unique_ptr<durable::store_view> view_;
  const std::uint64_t count_;
  std::mt19937_64 random_{1};
  std::vector<std::int64_t> late_;
  engine engine_;
  durable::timers timers_;
};

// Look-ups among `count` timers: one by its name or its key, and all of them in pages, with how late timers run
// in that time, and how late they run without. `address`: what the command lists beside it in a process of its own.
inline void measure_look_ups(benchmark::State& state, const std::shared_ptr<durable::store>& store,
                             const std::string& address, std::int64_t count) {
  looked_up in(store, count);
  std::vector<std::int64_t> by_name, by_key;
  const std::string lists = command_that_lists(address, count);
  for (auto round : state) {
    const std::int64_t gets = full_or_smoke(5'000, 100);
    for (std::int64_t i = 0; i < gets; ++i) in.get(by_name, by_key);
    in.measure_lateness(state, "", [] {});
    const double seconds = in.measure_lateness(state, "_beside", [&] { in.page_through(); });
    state.counters["all_pages_s"] = seconds;
    // For comparison: a busy thread of the caller's that asks nothing of the store.
    in.measure_lateness(state, "_beside_a_loop", [&] {
      for (const auto begin = steady::now(); seconds_since(begin) < seconds;) benchmark::DoNotOptimize(begin);
    });
    if (lists.empty()) continue;
    state.counters["list_s"] = in.measure_lateness(state, "_beside_list", [&] {
      if (std::system(lists.c_str()) != 0) throw std::runtime_error(lists);
    });
  }
  for (auto* const took : {&by_name, &by_key}) {
    const std::string name = took == &by_name ? "get" : "by_key";
    std::ranges::sort(*took);
    state.counters[name + "_p50_us"] = static_cast<double>((*took)[took->size() / 2]) / 1e3;
    state.counters[name + "_p99_us"] = static_cast<double>((*took)[took->size() * 99 / 100]) / 1e3;
  }
}

}  // namespace detent::bench
