// SPDX-License-Identifier: MIT
// Compares the cost of a durable timer in PostgreSQL with that of a bare row of the same bytes, on a server of the
// benchmark's own that syncs each commit. The two take turns in each round; the result is the median of the ratios.
#include "durable_work.hpp"
#include "support/scale.hpp"

#include "../tests/postgres/client.hpp"
#include "../tests/postgres/postgres_server.hpp"

#include <detent/durable.hpp>
#include <detent/durable_postgres.hpp>
#include <detent/engine.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace detent::durable;
using detent::bench::seconds_since;
using detent::bench::steady;
using detent::test::postgres_client;

// If it is not installed, the program ends with a text that its smoke test takes for a skip.
detent::test::postgres_server& server() {
  if (!detent::test::postgres_server::is_installed()) {
    std::puts("skipped: postgresql is not installed");
    std::exit(77);
  }
  static detent::test::postgres_server its(true, {"shared_buffers=256MB"});
  return its;
}

double median(std::vector<double>& of) {
  std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
  return of[of.size() / 2];
}

// Rows a second, of `count` in statements of `at_once`.
class bare_table {
 public:
  explicit bare_table(const std::string& url) : to_(url) {
    to_.ask("create table bare (key text primary key, id bigint, due timestamptz, handler text, payload bytea)");
  }
  double insert(std::int64_t count, std::int64_t at_once) {
    const auto begin = steady::now();
    for (std::int64_t done = 0; done < count; done += at_once) {
      std::string text = "insert into bare values ";
      for (std::int64_t i = 0; i < at_once; ++i) {
        const std::string key = std::to_string(1'000'000'000'000'000 + ++last_);
        text += (i != 0 ? ", ('" : "('") + key + "', " + key + ", '2031-01-01 00:00:00+00', 'bill', '" + body_ + "')";
      }
      to_.ask(text);
    }
    return static_cast<double>(count) / seconds_since(begin);
  }

 private:
  postgres_client to_;
  const std::string body_ = std::string(64, 'b');
  std::int64_t last_ = 0;
};

record timer(std::int64_t number, shard_id shards) {
  const std::string key = std::to_string(1'000'000'000'000'000 + number);
  record its{.shard = shard_of(key, {}, shards), .key = stored_key(key)};
  its.id = static_cast<std::uint64_t>(number);
  its.due = stored_time(std::chrono::seconds(1'924'992'000 + number));
  its.handler = "bill";
  its.payload.resize(64);
  return its;
}

// Sent again where the machine was too busy for an answer in time.
void carry_out(store& in, const std::vector<change>& what, std::vector<change_status>& results) {
  errc code = in.apply(what, results);
  for (int i = 0; i != 10 && code == errc::unavailable; ++i) code = in.apply(what, results);
  if (code != errc{}) throw std::system_error(make_error_code(code));
}

double put(store& in, std::int64_t count, std::int64_t at_once, std::int64_t& last) {
  std::vector<change> requests(static_cast<std::size_t>(at_once), put_request{});
  std::vector<change_status> results(requests.size());
  const auto begin = steady::now();
  for (std::int64_t done = 0; done < count; done += at_once) {
    for (change& one : requests) std::get<put_request>(one).what = timer(++last, in.shards());
    carry_out(in, requests, results);
  }
  return static_cast<double>(count) / seconds_since(begin);
}

void beside_bare_insert(benchmark::State& state) {
  const std::int64_t at_once = state.range(0);
  const std::int64_t count = at_once == 1 ? detent::bench::full_or_smoke(300, 20) : 20 * at_once;
  const std::string url = server().url(server().make_database());
  bare_table bare(url);
  const auto in = postgres_store(url, {.patience = std::chrono::seconds(10)});
  std::vector<double> rates, ratios;
  std::int64_t last = 0;
  put(*in, at_once, at_once, last);
  for (auto round : state) {
    const double its = put(*in, count, at_once, last);
    const double of_bare = bare.insert(count, at_once);
    rates.push_back(its);
    ratios.push_back(its / of_bare);
  }
  state.counters["put/s"] = median(rates);
  state.counters["put_of_insert"] = median(ratios);
}
BENCHMARK(beside_bare_insert)->ArgName("a_call")->Arg(1)->Arg(1000)->Iterations(9)->Unit(benchmark::kMillisecond);

void lateness(benchmark::State& state) {
  const std::string url = server().url(server().make_database());
  detent::bench::measure_lateness(state, postgres_store(url), detent::bench::full_or_smoke(2'000, 100),
                                  std::chrono::seconds(4));
}
BENCHMARK(lateness)->Iterations(1)->Unit(benchmark::kMillisecond);

// In the empty database of this URL, if the environment has one: for beside_postgres.mjs.
void drain(benchmark::State& state) {
  const char* const given = std::getenv("DETENT_BENCH_POSTGRES");
  const std::string url = given != nullptr ? given : server().url(server().make_database());
  detent::bench::measure_drain(
      state, [&] { return postgres_store(url); }, detent::bench::full_or_smoke(100'000, 2'000));
}
BENCHMARK(drain)->Iterations(1)->Unit(benchmark::kMillisecond);

void look_ups(benchmark::State& state) {
  const std::string url = server().url(server().make_database());
  detent::bench::measure_look_ups(state, postgres_store(url), url, detent::bench::full_or_smoke(1'000'000, 2'000));
}
BENCHMARK(look_ups)->Iterations(1)->Unit(benchmark::kMillisecond);

// The table and its indexes, where 10,000 timers are live: after so many puts and ends, and after ten times as many.
// The server vacuums as it does by default, once a minute at most.
void growth(benchmark::State& state) {
  constexpr std::int64_t at_once = 1'000;
  const std::int64_t count = detent::bench::full_or_smoke(500'000, 2'000);
  const std::int64_t live = detent::bench::full_or_smoke(10'000, 1'000);
  const std::string database = server().make_database();
  const auto in = postgres_store(server().url(database), {.patience = std::chrono::seconds(10)});
  std::vector<take_request> wanted;
  for (shard_id shard = 0; shard != in->shards(); ++shard) wanted.push_back({shard, std::chrono::hours(1)});
  std::vector<take_result> terms(wanted.size());
  if (in->take("bench", wanted, terms) != errc{}) throw std::runtime_error("take");
  std::int64_t last = 0, ended = 0;
  const auto put_and_end = [&](std::int64_t upto) {
    std::vector<change> ends(at_once, end_request{});
    std::vector<change_status> results(ends.size());
    while (last != upto) {
      put(*in, at_once, at_once, last);
      if (last - ended <= live) continue;
      for (change& one : ends) {
        const record its = timer(++ended, in->shards());
        one = end_request{.term = {its.shard, terms[its.shard].fence}, .key = its.key, .id = its.id, .ran = its.due};
      }
      carry_out(*in, ends, results);
    }
    return std::stod(server().ask("select pg_total_relation_size('detent.timers')", database)) / 1e6;
  };
  for (auto round : state) {
    const double first = put_and_end(count), second = put_and_end(10 * count);
    state.counters["MB"] = first;
    state.counters["times_as_large"] = second / first;
  }
}
BENCHMARK(growth)->Iterations(1)->Unit(benchmark::kMillisecond);

// Timers that transactions of another program put, due 20 ms later: how late they run, where the transaction commits at
// once, and how long after the commit, where it stays open for `open` ms.
void put_in_transactions(benchmark::State& state) {
  const std::chrono::milliseconds open(state.range(0));
  const std::string url = server().url(server().make_database());
  detent::engine engine;
  timers timers(engine, postgres_store(url));
  std::mutex lock;
  std::vector<std::pair<std::string, std::chrono::system_clock::time_point>> ran;
  timers.handle("late", [&](job& of) {
    const std::lock_guard locked(lock);
    ran.emplace_back(of.key(), std::chrono::system_clock::now());
    return outcome::done();
  });
  timers.start();
  postgres_client user(url);
  const std::int64_t count = detent::bench::full_or_smoke(open.count() == 0 ? 300 : 30, open.count() == 0 ? 10 : 1);
  std::vector<double> late;
  for (auto round : state) {
    for (std::int64_t i = 0; i < count; ++i) {
      user.ask("begin");
      const std::string due =
          user.ask("select date_part('epoch', clock_timestamp() + interval '20 ms')::numeric(30, 6)");
      const std::string key = user.ask("select detent.schedule_at('late', to_timestamp(" + due + "))");
      std::this_thread::sleep_for(open);
      user.ask("commit");
      const auto committed = std::chrono::system_clock::now();
      const auto wanted = open.count() == 0 ? std::chrono::system_clock::time_point(std::chrono::microseconds(
                                                  static_cast<std::int64_t>(std::stod(due) * 1e6)))
                                            : committed;
      for (bool is_there = false; !is_there; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
        const std::lock_guard locked(lock);
        for (const auto& [name, at] : ran) {
          if (name != key) continue;
          late.push_back(std::chrono::duration<double, std::milli>(at - wanted).count());
          is_there = true;
        }
      }
    }
  }
  std::ranges::sort(late);
  state.counters["p50_ms"] = late[late.size() / 2];
  state.counters["p99_ms"] = late[late.size() * 99 / 100];
}
BENCHMARK(put_in_transactions)->ArgName("open_ms")->Arg(0)->Arg(2000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
