// SPDX-License-Identifier: MIT
// A node of the audit of effects: its handlers write a row into `effects` and end their timer, in one transaction of
// their own connection, which commits, rolls back or is prepared at random.
#include "session.hpp"

#include "../journal.hpp"

#include <detent/durable.hpp>
#include <detent/durable_postgres.hpp>
#include <detent/engine.hpp>
#include <detent/schedule.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using chaos::failure;
using chaos::session;
namespace durable = detent::durable;

struct wanted {
  std::string postgres, url, journals, node = "node";
  long lease = 500, patience = 100;
  std::size_t threads = 4, recurring = 0;
  std::uint64_t seed = 1;
  bool is_mutant = false;
};

// Runs handlers that wait. Each of its threads has a connection.
class pool {
 public:
  explicit pool(std::size_t threads) {
    for (std::size_t i = 0; i != threads; ++i)
      threads_.emplace_back([this](const std::stop_token& over) { run(over); });
  }
  void run_later(std::function<void()> what) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(what));
    changed_.notify_one();
  }

 private:
  void run(const std::stop_token& over) {
    for (std::unique_lock lock(mutex_); changed_.wait(lock, over, [&] { return !waiting_.empty(); });) {
      const auto what = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      what();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::jthread> threads_;  // the last: they use the others
};

class effect {
 public:
  effect(const wanted& how, const chaos::journal& book) : how_(how), book_(book) {}

  durable::outcome operator()(durable::job& job) const {
    const std::int64_t began = chaos::machine_us();
    thread_local session its(how_.url);
    thread_local std::mt19937_64 random(how_.seed ^ std::hash<std::thread::id>{}(std::this_thread::get_id()));
    if (!its.open()) return durable::outcome::retry_after(50ms, "no connection");
    try {
      return act(job, its, random, began);
    } catch (const failure& why) {
      book_.write(why.is_lost ? "cut" : "failed");
      its.roll_back();
      return durable::outcome::retry_after(20ms, why.what());
    } catch (const std::exception& why) {
      book_.write("refused");
      its.roll_back();
      return durable::outcome::retry_after(20ms, why.what());
    }
  }

 private:
  durable::outcome act(durable::job& job, session& its, std::mt19937_64& random, std::int64_t began) const {
    const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    its.ask(chance(10) ? "begin isolation level repeatable read" : "begin isolation level read committed");
    write(job, its, began);
    if (chance(5)) std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(random() % 20'000)));
    if (chance(3)) {
      its.ask("rollback");
      return durable::outcome::retry_after(20ms, "rolled back before its end");
    }
    if (how_.is_mutant) {  // where the process ends here, the effect is there, and the timer too
      its.ask("commit");
      its.ask("begin");
    }
    if (!job.finish_in(its.get())) {
      its.ask("rollback");
      book_.write("over");
      return durable::outcome::done();
    }
    // The node looks whether the timer is there. It does not rely on what the handler returns.
    const auto is_done = [&] {
      return chance(50) ? durable::outcome::done() : durable::outcome::retry_after(20ms, "again");
    };
    if (chance(3)) {
      its.ask("rollback");
      book_.write("rolled_back");
      return is_done();
    }
    if (chance(2)) {
      its.ask("prepare transaction 'node " + how_.node + std::to_string(random()) + "'");
      book_.write("prepared");
      return is_done();
    }
    its.ask("commit");
    book_.write("ended");
    return is_done();
  }

  void write(const durable::job& job, session& its, std::int64_t began) const {
    const auto us = [](auto time) {
      return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
    };
    const std::string payload(reinterpret_cast<const char*>(job.payload().data()), job.payload().size());
    its.ask(
        "insert into effects (op, key, partition, due, began, node, attempt) values ($1::bigint, $2, $3, "
        "'epoch'::timestamptz + $4::bigint * interval '1 us', 'epoch'::timestamptz + $5::bigint * interval '1 us', $6, "
        "$7::int)",
        {payload, std::string(job.key()), std::string(job.partition()), us(job.due().time_since_epoch()),
         std::to_string(began), how_.node, std::to_string(job.attempt())});
  }

  const wanted& how_;
  const chaos::journal& book_;
};

std::shared_ptr<durable::store> store_of(const wanted& how) {
  durable::postgres_options on;
  on.patience = std::chrono::milliseconds(how.patience);
  on.make_schema = false;
  for (;;) {
    try {
      return durable::postgres_store(how.postgres, on);
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
  const chaos::journal book(how.journals, how.node);
  pool handlers(how.threads);
  detent::engine engine;
  durable::options options;
  options.node = how.node;
  options.lease = std::chrono::milliseconds(how.lease);
  options.on_trouble = [&how](std::error_code, std::string_view line) {
    std::fprintf(stderr, "%s: %.*s\n", how.node.c_str(), static_cast<int>(line.size()), line.data());
  };
  durable::timers timers(engine, store_of(how), options);
  book.begin();
  timers.declare("each second", detent::schedule::quartz("* * * * * ?"));
  // Each look that finds a timer unended is an attempt.
  durable::handler_options often{.max_attempts = 10'000, .first_retry = 20ms, .longest_retry = 200ms};
  often.executor = [&handlers](std::function<void()> what) { handlers.run_later(std::move(what)); };
  timers.handle("effect", effect(how, book), often);
  timers.start();
  for (std::size_t i = 0; i != how.recurring; ++i) {
    const std::string key = "recurs" + std::to_string(i), payload = "-" + std::to_string(i + 1);
    timers.schedule_on("each second", "effect", std::as_bytes(std::span(payload)), {.key = key});
  }
  int number = 0;
  ::sigwait(&ends, &number);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  wanted how;
  CLI::App app("a node of the audit of effects");
  app.add_option("--postgres", how.postgres, "where the node works")->required();
  app.add_option("--url", how.url, "where its handlers work")->required();
  app.add_option("--journals", how.journals, "a directory")->required();
  app.add_option("--node", how.node);
  app.add_option("--lease", how.lease, "in ms");
  app.add_option("--patience", how.patience, "in ms");
  app.add_option("--threads", how.threads)->check(CLI::PositiveNumber);
  app.add_option("--recurring", how.recurring);
  app.add_option("--seed", how.seed);
  app.add_flag("--mutant", how.is_mutant, "handlers end their timers in a transaction of its own");
  CLI11_PARSE(app, argc, argv);
  return run(how);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "chaos_effects: %s\n", problem.what());
  return 1;
}
