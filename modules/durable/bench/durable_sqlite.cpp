// SPDX-License-Identifier: MIT
// Compares the cost of a durable timer in a file with that of the disk and of SQLite by themselves. They take turns in
// each round, at a million rows: a measurement with a few thousand rows, all in the cache, proves nothing.
#include "durable_loads.hpp"
#include "durable_work.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

#include <detent/durable.hpp>
#include <detent/durable_sqlite.hpp>
#include <detent/engine.hpp>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace detent::durable;
using detent::bench::seconds_since;
using detent::bench::steady;

constexpr std::int64_t batch = 1000;
std::int64_t rows() { return detent::bench::smoke() ? 2'000 : 1'000'000; }

// On the disk that holds the current directory: /tmp may be none.
std::string fresh_directory() {
  std::string name = "durable-bench-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory here can be made");
  return name;
}

class directory {
 public:
  directory() : path_(fresh_directory()) {}
  ~directory() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  const std::string path_;
};

// The CPU time of this thread. A reading does not wait for the disk, because the kernel has the file.
double cpu_seconds() { return static_cast<double>(detent::bench::thread_cpu_ns()) / 1e9; }

record row(std::int64_t number, std::mt19937_64& random) {
  record out;
  out.key = std::to_string(1'000'000'000'000'00 + number);  // 15 characters that grow, as the library's own
  out.id = static_cast<std::uint64_t>(number + 1);
  out.due = stored_time(std::chrono::seconds(2'000'000'000) + std::chrono::microseconds(random() % 86'400'000'000));
  out.handler = "auction-end";
  out.payload.resize(64);
  return out;
}

double put(store& in, std::int64_t from, std::int64_t to, std::int64_t at_once) {
  std::mt19937_64 random(static_cast<std::uint64_t>(from + 1));
  std::vector<change> requests(static_cast<std::size_t>(at_once));
  std::vector<change_status> results(requests.size());
  double took = 0;
  for (std::int64_t at = from; at < to; at += at_once) {
    for (std::int64_t i = 0; i < at_once; ++i)
      requests[static_cast<std::size_t>(i)] = put_request{row(at + i, random), put_mode::keep};
    const auto begin = steady::now();
    if (in.apply(requests, results) != errc{}) throw std::runtime_error("put");
    took += seconds_since(begin);
  }
  return static_cast<double>(to - from) / took;
}

// A million rows of the same bytes, no index but the row's number: what SQLite can do at best.
double bare_inserts(const std::string& path) {
  sqlite3* db = nullptr;
  sqlite3_stmt* insert = nullptr;
  const auto run = [&](const char* sql) {
    if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw std::runtime_error(sql);
  };
  sqlite3_open(path.c_str(), &db);
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536");
  run("PRAGMA wal_autocheckpoint = 4000; CREATE TABLE t (row INTEGER PRIMARY KEY, body BLOB)");
  sqlite3_prepare_v2(db, "INSERT INTO t (body) VALUES (?)", -1, &insert, nullptr);
  const std::string body(120, 'b');
  const auto begin = steady::now();
  for (std::int64_t at = 0; at < rows(); at += batch) {
    run("BEGIN IMMEDIATE");
    for (std::int64_t i = 0; i < batch; ++i) {
      sqlite3_bind_blob(insert, 1, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    run("COMMIT");
  }
  const double rate = static_cast<double>(rows()) / seconds_since(begin);
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return rate;
}

void put_batched_at_a_million(benchmark::State& state) {
  std::vector<double> rates, ratios, ends, reads;
  for (auto round : state) {
    const directory here;
    const double bare = bare_inserts(here.file("bare"));
    auto file = sqlite_store(here.file("timers"), {.durability = sqlite_options::sync::at_checkpoints});
    put(*file, 0, rows(), batch);
    // The last tenth, where there are a million already, is what counts.
    const double rate = put(*file, rows(), rows() + rows() / 10, batch);
    rates.push_back(rate);
    ratios.push_back(rate / bare);

    file.reset();  // as after a restart
    file = sqlite_store(here.file("timers"), {.durability = sqlite_options::sync::at_checkpoints});
    take_result taken;
    const take_request all{0, std::chrono::hours(1)};
    file->take("bench", {&all, 1}, {&taken, 1});
    const read_request next{{0, taken.fence}, stored_time::max(), 1'000'000'000, std::chrono::hours(1)};
    read_result read;
    const double begin = cpu_seconds();
    file->read_on({&next, 1}, {&read, 1});
    reads.push_back(1e6 * (cpu_seconds() - begin) / static_cast<double>(read.due.size()));
    std::vector<change> requests;
    std::vector<change_status> results(batch);
    const auto ending = steady::now();
    for (std::size_t i = 0; i < read.due.size() / 10; ++i) {
      end_request one;
      one.term = next.term;
      one.key = read.due[i].key;
      one.id = read.due[i].id;
      one.ran = read.due[i].due;
      requests.push_back(std::move(one));
      if (requests.size() < results.size()) continue;
      file->apply(requests, results);
      requests.clear();
    }
    ends.push_back(static_cast<double>(read.due.size() / 10) / seconds_since(ending));
  }
  const auto median = [](std::vector<double>& of) {
    std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
    return of[of.size() / 2];
  };
  state.counters["put/s"] = median(rates);
  state.counters["of_bare_insert"] = median(ratios);
  state.counters["end/s"] = median(ends);
  state.counters["reread_a_million_cpu_s"] = median(reads);
}
BENCHMARK(put_batched_at_a_million)->Iterations(1)->Unit(benchmark::kSecond);

void put_synced_one_by_one(benchmark::State& state) {
  const directory here;
  const auto file = sqlite_store(here.file("timers"));
  const int plain = ::open(here.file("plain").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string body(200, 'b');
  double synced = 0, floor = 0;
  std::int64_t at = 0;
  const std::int64_t turns = detent::bench::smoke() ? 1 : 20;
  for (auto round : state)
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      const std::int64_t some = 20;
      auto begin = steady::now();
      for (std::int64_t i = 0; i < some; ++i)
        if (::write(plain, body.data(), body.size()) < 0 || ::fdatasync(plain) != 0) throw std::runtime_error("write");
      floor += seconds_since(begin);
      begin = steady::now();
      put(*file, at, at + some, 1);
      synced += seconds_since(begin);
      at += some;
    }
  ::close(plain);
  state.counters["put/s"] = static_cast<double>(at) / synced;
  state.counters["of_write_and_fdatasync"] = floor / synced;
}
BENCHMARK(put_synced_one_by_one)->Iterations(1)->Unit(benchmark::kMillisecond);

void puts_and_cancels_by_turns(benchmark::State& state) {
  const directory here;
  detent::bench::measure_turns(state,
                               sqlite_store(here.file("timers"), {.durability = sqlite_options::sync::at_checkpoints}),
                               detent::bench::full_or_smoke(100'000, 1'000));
}
BENCHMARK(puts_and_cancels_by_turns)->Iterations(1)->Unit(benchmark::kMillisecond);

// Measures the call alone, while the store syncs each commit.
void the_scheduling_call(benchmark::State& state) {
  const directory here;
  detent::engine engine;
  timers durable(engine, sqlite_store(here.file("timers")), {.outbox = 1'000'000});
  durable.handle("auction-end", [](job&) { return outcome::done(); });
  durable.start();
  const std::vector<std::byte> body(64);
  std::vector<std::int64_t> took;
  const int calls = detent::bench::smoke() ? 1'000 : 100'000;
  for (auto round : state)
    for (int i = 0; i < calls; ++i) {
      const auto begin = steady::now();
      durable.schedule_after(std::chrono::hours(1), "auction-end", body);
      took.push_back((steady::now() - begin).count());
    }
  std::ranges::sort(took);
  state.counters["p50_ns"] = static_cast<double>(took[took.size() / 2]);
  state.counters["p99_ns"] = static_cast<double>(took[took.size() * 99 / 100]);
}
BENCHMARK(the_scheduling_call)->Iterations(1)->Unit(benchmark::kMillisecond);

void lateness(benchmark::State& state) {
  const directory here;
  detent::bench::measure_lateness(state, sqlite_store(here.file("timers")), detent::bench::full_or_smoke(2'000, 100),
                                  std::chrono::milliseconds(1'500));
}
BENCHMARK(lateness)->Iterations(1)->Unit(benchmark::kMillisecond);

void look_ups(benchmark::State& state) {
  const directory here;
  const std::string file = here.file("timers");
  detent::bench::measure_look_ups(state, sqlite_store(file, {.durability = sqlite_options::sync::at_checkpoints}), file,
                                  rows());
}
BENCHMARK(look_ups)->Iterations(1)->Unit(benchmark::kMillisecond);

void drain(benchmark::State& state) {
  const directory here;
  detent::bench::measure_drain(
      state, [&] { return sqlite_store(here.file("timers")); }, rows() / 5);
}
BENCHMARK(drain)->Iterations(1)->Unit(benchmark::kMillisecond);

void backlogs(benchmark::State& state) {
  const directory here;
  detent::bench::measure_backlogs(
      state, [&] { return sqlite_store(here.file("timers")); }, rows());
}
BENCHMARK(backlogs)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
