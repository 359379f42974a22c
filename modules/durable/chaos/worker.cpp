// SPDX-License-Identifier: MIT
// One process of the chaos: a node that runs timers, or one that puts them, or both on a file of SQLite, which one
// process has at a time. Its lines carry the machine's own time, also where its clock is set off.
#include "journal.hpp"
#include "load.hpp"
#include "watched.hpp"

#include "../tests/forgetful_disk.hpp"

#include <detent/durable.hpp>
#include <detent/durable_redis.hpp>
#include <detent/durable_sqlite.hpp>
#include <detent/engine.hpp>

#include <sys/syscall.h>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace {

long offset_ms = 0;  // of this process's wall clock; set before a thread is

}  // namespace

// Replaces the C library's function, so that every reader of the wall clock in this process gets the one that is off.
extern "C" int clock_gettime(clockid_t which, timespec* out) noexcept {
  const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, which, out));
  if (failed == 0 && which == CLOCK_REALTIME) {
    const std::int64_t ns = std::int64_t{out->tv_sec} * 1'000'000'000 + out->tv_nsec + offset_ms * 1'000'000;
    out->tv_sec = static_cast<time_t>(ns / 1'000'000'000);
    out->tv_nsec = static_cast<long>(ns % 1'000'000'000);
  }
  return failed;
}

namespace {

using namespace std::chrono_literals;
using durable_test::forgetful_disk;
namespace durable = detent::durable;

struct wanted {
  std::string redis, sqlite, journal, node = "node";
  durable::shard_id shards = 8;
  long lease = 500, horizon = 1000, patience = 100;
  unsigned replicas = 0;
  bool is_power_lost = false, puts = false;
  chaos::load what;
};

durable::options options_of(const wanted& how) {
  durable::options out;
  out.node = how.node;
  out.lease = std::chrono::milliseconds(how.lease);
  out.horizon = std::chrono::milliseconds(how.horizon);
  out.on_trouble = [node = how.node](std::error_code, std::string_view line) {
    std::fprintf(stderr, "%s: %.*s\n", node.c_str(), static_cast<int>(line.size()), line.data());
  };
  return out;
}

std::shared_ptr<durable::store> sqlite_of(const wanted& how) {
  if (how.is_power_lost) forgetful_disk::lose_power(how.sqlite);
  forgetful_disk::begin(how.sqlite);
  forgetful_disk::install();
  ::signal(SIGUSR1, [](int) { forgetful_disk::fill(true); });
  ::signal(SIGUSR2, [](int) { forgetful_disk::fill(false); });
  return durable::sqlite_store(how.sqlite, {.shards = how.shards});
}

// A process that is started while the server is away waits for it.
std::shared_ptr<durable::store> redis_of(const wanted& how) {
  durable::redis_options on;
  on.shards = how.shards;
  on.patience = std::chrono::milliseconds(how.patience);
  on.replicas = how.replicas;
  for (;;) {
    try {
      return durable::redis_store(how.redis, on);
    } catch (const detent::error& why) {
      if (why.code() != durable::errc::unavailable && why.code() != durable::errc::not_permitted) throw;
      std::this_thread::sleep_for(10ms);
    }
  }
}

int run(const wanted& how) {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const chaos::journal book(how.journal);
  detent::engine engine;
  const auto store =
      std::make_shared<chaos::watched>(how.redis.empty() ? sqlite_of(how) : redis_of(how), book, how.node);
  durable::timers timers(engine, store, options_of(how));
  chaos::handle(timers, how.what, book, how.node);
  const bool runs = !how.puts || !how.sqlite.empty();
  if (runs) timers.start();
  book.write("\nB", how.node);  // what a killed process began to write is not its line
  if (how.puts) {
    chaos::putter(timers, how.what, book, how.journal).put_all();
    book.write('E', how.node);
  }
  if (!runs) return 0;
  int number = 0;
  ::sigwait(&ends, &number);
  const durable::metrics counts = timers.metrics();
  book.write('M', how.node, counts.lapsed, counts.fenced);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  wanted how;
  CLI::App app("one process of the chaos of durable timers");
  CLI::Option* const redis = app.add_option("--redis", how.redis);
  app.add_option("--sqlite", how.sqlite)->excludes(redis);
  app.add_option("--journal", how.journal)->required();
  app.add_option("--node", how.node);
  app.add_option("--shards", how.shards);
  app.add_option("--lease", how.lease, "in ms");
  app.add_option("--horizon", how.horizon, "in ms");
  app.add_option("--patience", how.patience, "in ms");
  app.add_option("--replicas", how.replicas);
  app.add_option("--clock-off", offset_ms, "by so many ms");
  app.add_flag("--power-lost", how.is_power_lost, "the file is as it was synced");
  app.add_flag("--put", how.puts, "puts timers; on Redis, and ends");
  app.add_option("--timers", how.what.timers);
  app.add_option("--recurring", how.what.recurring);
  app.add_option("--seconds", how.what.seconds);
  app.add_option("--seed", how.what.seed);
  app.add_option("--begin", how.what.begin, "in us since 1970");
  CLI11_PARSE(app, argc, argv);
  return run(how);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "chaos_worker: %s\n", problem.what());
  return 1;
}
