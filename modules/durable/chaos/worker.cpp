// SPDX-License-Identifier: MIT
// One process of the chaos: a node that runs timers, or one that puts them, or both on a file of SQLite, which one
// process has at a time.
#include "in_postgres.hpp"
#include "journal.hpp"
#include "putter.hpp"

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
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
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
  std::string redis, postgres, sqlite, journals, node = "node";
  durable::shard_id shards = 8;
  long lease = 500, horizon = 1000, patience = 100;
  std::size_t unwritten = durable::options{}.unwritten;
  unsigned replicas = 0;
  bool is_power_lost = false, puts = false, lists = false, notes = false, shows_schema = false;
  chaos::load what;
};

durable::options options_of(const wanted& how, const chaos::journal& book) {
  durable::options out;
  out.node = how.node;
  out.lease = std::chrono::milliseconds(how.lease);
  out.horizon = std::chrono::milliseconds(how.horizon);
  out.unwritten = how.unwritten;
  out.on_trouble = [node = how.node](std::error_code, std::string_view line) {
    std::fprintf(stderr, "%s: %.*s\n", node.c_str(), static_cast<int>(line.size()), line.data());
  };
  out.on_dead = [&book](const durable::dead_timer& its) {
    book.write("dead", its.key, its.partition.empty() ? "-" : its.partition, its.attempts);
  };
  return out;
}

std::shared_ptr<durable::store> sqlite_of(const wanted& how) {
  if (how.lists) return durable::sqlite_store(how.sqlite, {.read_only = true});
  if (how.is_power_lost) forgetful_disk::lose_power(how.sqlite);
  forgetful_disk::begin(how.sqlite);
  forgetful_disk::install();
  ::signal(SIGUSR1, [](int) { forgetful_disk::fill(true); });
  ::signal(SIGUSR2, [](int) { forgetful_disk::fill(false); });
  return durable::sqlite_store(how.sqlite, {.shards = how.shards});
}

// A process that is started while the server is away, or refuses it, waits for it.
template <class Open>
auto insist(const Open& open) {
  for (;;) {
    try {
      return open();
    } catch (const detent::error& why) {
      if (why.code() != durable::errc::unavailable && why.code() != durable::errc::not_permitted) throw;
      std::this_thread::sleep_for(10ms);
    }
  }
}

std::shared_ptr<durable::store> redis_of(const wanted& how) {
  durable::redis_options on;
  on.shards = how.shards;
  on.patience = std::chrono::milliseconds(how.patience);
  on.replicas = how.replicas;
  on.read_only = how.lists;
  return insist([&] { return durable::redis_store(how.redis, on); });
}

int show_schema() {
  const std::string_view text = chaos::postgres_schema();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}

std::shared_ptr<durable::store> store_of(const wanted& how) {
  if (!how.sqlite.empty()) return sqlite_of(how);
  if (how.postgres.empty()) return redis_of(how);
  return insist([&] { return chaos::in_postgres(how.postgres, std::chrono::milliseconds(how.patience), how.lists); });
}

// Notes how many of this process's runs the node has written the ends of.
void note_written(const std::stop_token& over, const durable::timers& timers, const chaos::journal& book) {
  for (std::uint64_t before = 0; !over.stop_requested(); std::this_thread::sleep_for(5ms)) {
    const durable::metrics its = timers.metrics();
    if (its.fenced != 0) return;  // these are not in the store, and the metrics do not say which
    if (its.ends == 0 && its.runs != before) book.write("written", before = its.runs);
  }
}

// Prints how many timers wait, and notes each that is left, also the dead ones.
int list(const wanted& how) {
  detent::engine engine;
  const chaos::journal book(how.journals, how.node);
  durable::timers timers(engine, store_of(how), options_of(how, book));
  durable::query all{.limit = 10'000'000};
  const auto waiting = timers.list(all);
  std::printf("%zu\n", waiting.size());
  if (!how.notes) return 0;
  book.begin();
  const auto note = [&](const durable::listed& its, const char* as) {
    const auto due = std::chrono::duration_cast<std::chrono::microseconds>(its.due.time_since_epoch()).count();
    book.write("left", its.key, its.partition.empty() ? "-" : its.partition, due, as, chaos::hash_of(its.payload));
  };
  for (const durable::listed& its : waiting) note(its, "waits");
  all.dead = true;
  for (const durable::listed& its : timers.list(all)) note(its, "dead");
  book.write("listed");
  return 0;
}

int run(const wanted& how) {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const chaos::journal book(how.journals, how.node);
  detent::engine engine;
  // The first call of the timers may find the server away again.
  const auto made =
      insist([&] { return std::make_unique<durable::timers>(engine, store_of(how), options_of(how, book)); });
  durable::timers& timers = *made;
  book.begin();
  chaos::handle(timers, how.what, book);
  const bool runs = !how.puts || !how.sqlite.empty();
  if (runs) timers.start();
  const std::jthread noting(note_written, std::cref(timers), std::cref(book));
  if (how.puts) {
    chaos::putter(timers, how.what, book).put_all();
    book.write("loaded");
  }
  if (!runs) return 0;
  int number = 0;
  ::sigwait(&ends, &number);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  wanted how;
  CLI::App app("one process of the chaos of durable timers");
  CLI::Option* const redis = app.add_option("--redis", how.redis);
  CLI::Option* const postgres = app.add_option("--postgres", how.postgres)->excludes(redis);
  app.add_option("--sqlite", how.sqlite)->excludes(redis)->excludes(postgres);
  app.add_option("--journals", how.journals, "a directory");
  app.add_option("--node", how.node);
  app.add_option("--shards", how.shards);
  app.add_option("--lease", how.lease, "in ms");
  app.add_option("--horizon", how.horizon, "in ms");
  app.add_option("--patience", how.patience, "in ms");
  app.add_option("--unwritten", how.unwritten);
  app.add_option("--replicas", how.replicas);
  app.add_option("--clock-off", offset_ms, "by so many ms");
  app.add_flag("--power-lost", how.is_power_lost, "the file is as it was synced");
  app.add_flag("--put", how.puts, "puts timers; on what nodes share, and ends");
  app.add_flag("--list", how.lists, "prints how many timers wait, and ends");
  app.add_flag("--schema", how.shows_schema, "prints the script that makes the store in PostgreSQL, and ends");
  app.add_flag("--note", how.notes, "with --list: writes what is left into the journal");
  app.add_option("--timers", how.what.timers);
  app.add_option("--recurring", how.what.recurring);
  app.add_option("--killers", how.what.killers);
  app.add_flag("--keeps-late", how.what.keeps_late);
  app.add_option("--seconds", how.what.seconds);
  app.add_option("--seed", how.what.seed);
  app.add_option("--begin", how.what.begin, "in us since 1970");
  CLI11_PARSE(app, argc, argv);
  if (how.shows_schema) return show_schema();
  return how.lists ? list(how) : run(how);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "chaos_worker: %s\n", problem.what());
  return 1;
}
