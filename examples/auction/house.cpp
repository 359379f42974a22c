// SPDX-License-Identifier: MIT
// The auction house. `house open STORE COUNT SECONDS` opens so many auctions, which end over so many seconds, and goes
// home. `house read STORE` reads all of them again, as a start has to that wants all in memory, and says how long that
// takes. `house run STORE LEDGER` sells what has ended and what ends, until there is nothing left; it may be killed and
// run again at any time.
#include "ledger.hpp"

#include <detent/durable.hpp>
#include <detent/durable_sqlite.hpp>
#include <detent/durable_store.hpp>
#include <detent/engine.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <utility>

namespace auction {
namespace {

using namespace std::chrono_literals;
namespace durable = detent::durable;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

int open_auctions(const std::string& store, int count, int seconds) {
  detent::engine engine;
  durable::timers timers(engine, durable::sqlite_store(store), {.node = "house", .outbox = std::size_t{1} << 22});
  std::mt19937_64 random{std::random_device{}()};
  std::uniform_int_distribution<std::int64_t> when(0, std::int64_t{seconds} * 1'000'000);
  const auto begin = clock::now();
  const auto first = std::chrono::system_clock::now() + 2s;
  for (int i = 0; i < count; ++i)
    timers.schedule_at(first + std::chrono::microseconds(when(random)), "sell", {},
                       {.key = "auction:" + std::to_string(i)});
  const double called = seconds_since(begin);
  if (!timers.flush(5min)) throw std::runtime_error("the store does not take them");
  std::printf("%d auctions opened: scheduled in %.2f s, in the file after %.2f s\n", count, called,
              seconds_since(begin));
  return 0;
}

// By the store's own interface: one term, one reading without a limit.
int read_again(const std::string& path) {
  const auto begin = clock::now();
  const std::clock_t used = std::clock();
  const auto store = durable::sqlite_store(path);
  std::size_t count = 0;
  for (durable::shard_id shard = 0; shard != store->shards(); ++shard) {
    const durable::take_request take{shard, 1h};
    durable::take_result taken;
    if (store->take("reader", {&take, 1}, {&taken, 1}) != durable::errc{}) throw std::runtime_error("no term");
    const durable::read_request all{{shard, taken.fence}, durable::stored_time::max(), std::size_t{1} << 40, 1h};
    durable::read_result read;
    if (store->read_on({&all, 1}, {&read, 1}) != durable::errc{}) throw std::runtime_error("the store cannot be read");
    count += read.due.size();
    static_cast<void>(store->give_back({&all.term, 1}));
  }
  std::printf("%zu auctions read again in %.2f s, %.2f s of CPU\n", count, seconds_since(begin),
              static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
  return 0;
}

int run(const std::string& store, const std::string& ledger_path) {
  ledger sales(ledger_path);
  const auto begin = clock::now();
  std::atomic<int> sold{0}, again{0}, early{0};
  double first = 0;
  detent::engine engine;  // its worker runs the handler, one auction at a time
  durable::timers timers(engine, durable::sqlite_store(store), {.node = "house"});
  timers.handle("sell", [&](durable::job& job) {
    if (first == 0) first = seconds_since(begin);
    if (std::chrono::system_clock::now() < job.due()) ++early;
    // A timer runs at least once; the ledger, which the effect is in, makes that once.
    ++(sales.sell(job.key()) ? sold : again);
    return durable::outcome::done();
  });
  timers.start();
  while (!timers.list({.limit = 1}).empty()) std::this_thread::sleep_for(100ms);
  std::printf("sold %d, offered again %d, early %d, first after %.3f s; all %zu sold after %.1f s\n", sold.load(),
              again.load(), early.load(), first, sales.sold(), seconds_since(begin));
  return early == 0 ? 0 : 1;
}

int usage() {
  std::fputs("usage: house open STORE COUNT SECONDS\n       house read STORE\n       house run STORE LEDGER\n", stderr);
  return 2;
}

int perform(int count, char** words) {
  if (count == 5 && std::strcmp(words[1], "open") == 0)
    return open_auctions(words[2], std::stoi(words[3]), std::stoi(words[4]));
  if (count == 3 && std::strcmp(words[1], "read") == 0) return read_again(words[2]);
  if (count == 4 && std::strcmp(words[1], "run") == 0) return run(words[2], words[3]);
  return usage();
}

}  // namespace
}  // namespace auction

int main(int count, char** words) {
  try {
    return auction::perform(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "house: %s\n", problem.what());
    return 1;
  }
}
