// SPDX-License-Identifier: MIT
// Timers themselves on the store in PostgreSQL, and a program that uses the same database.
#include "client.hpp"
#include "postgres_server.hpp"

#include <detent/durable.hpp>
#include <detent/durable_postgres.hpp>
#include <detent/engine.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace detent {
namespace {

using namespace std::chrono_literals;
using durable::job;
using durable::outcome;
using test::postgres_client;

class DurablePostgresTimers : public ::testing::Test {
 protected:
  void SetUp() override {
    DETENT_NEED_POSTGRES();
    test::postgres_server& server = test::shared_postgres();
    url = server.url(server.make_database());
  }
  template <class Condition>
  static void wait_for(Condition met) {
    for (int i = 0; i != 60'000 && !met(); ++i) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(met());
  }

  std::string url;
};

TEST_F(DurablePostgresTimers, WhatTransactionsPutRunsOnceTheyAreCommitted) {
  engine engine;
  durable::timers timers(engine, durable::postgres_store(url, {.shards = 4}));
  std::mutex lock;
  std::map<std::string, int> ran;
  timers.handle("h", [&](job& of) {
    const std::lock_guard locked(lock);
    ++ran[std::string(of.key())];
    return outcome::done();
  });
  timers.start();
  postgres_client user(url);
  const std::string put = "select detent.schedule_at('h', clock_timestamp(), key => '";
  user.ask("begin; " + put + "rolled back')");
  user.ask("rollback");
  user.ask("begin; " + put + "a'); savepoint s; " + put + "b'); rollback to savepoint s; " + put + "c')");
  user.ask("prepare transaction 'p'");
  user.ask("begin isolation level serializable; " + put + "d')");
  timers.schedule_after(0s, "h", {}, {.key = "own"});
  wait_for([&] {
    const std::lock_guard locked(lock);
    return ran.contains("own");
  });
  user.ask("commit");
  user.ask("commit prepared 'p'");
  wait_for([&] {
    const std::lock_guard locked(lock);
    return ran.size() == 4;
  });
  EXPECT_TRUE(timers.flush(60s));
  const std::lock_guard locked(lock);
  EXPECT_EQ(ran, (std::map<std::string, int>{{"a", 1}, {"c", 1}, {"d", 1}, {"own", 1}}));
}

TEST_F(DurablePostgresTimers, AHandlerEndsItsTimerTogetherWithWhatItWrites) {
  engine engine;
  postgres_client handler(url);
  handler.ask("create table written (key text, run int)");
  durable::timers timers(engine, durable::postgres_store(url, {.shards = 1}));
  std::atomic<int> runs{0};
  timers.handle("h", [&](job& of) {
    const int run = ++runs;
    handler.ask("begin");
    handler.ask("insert into written values ('" + std::string(of.key()) + "', " + std::to_string(run) + ")");
    if (of.finish_in(handler.get()) && run != 1) {
      handler.ask("commit");
      return outcome::done();
    }
    handler.ask("rollback");  // the first time as if its process had failed
    return outcome::done();
  });
  timers.start();
  timers.schedule_after(0s, "h", {}, {.key = "k"});
  wait_for([&] { return runs >= 2 && timers.list({}).empty(); });
  EXPECT_EQ(handler.ask("select string_agg(key || run, ' ') from written"), "k2");
}

TEST_F(DurablePostgresTimers, NamesAreText) {
  engine engine;
  durable::timers timers(engine, durable::postgres_store(url));
  const auto refused = [&](const std::string& key, const std::string& partition, const std::string& handler) {
    try {
      timers.schedule_after(1h, handler, {}, {.key = key, .partition = partition});
    } catch (const error& why) {
      EXPECT_NE(std::string(why.what()).find("UTF-8"), std::string::npos) << why.what();
      return why.code() == durable::errc::unsupported;
    }
    return false;
  };
  EXPECT_TRUE(refused("\xff", "", "h"));
  EXPECT_TRUE(refused("k", std::string("a\0b", 3), "h"));
  EXPECT_TRUE(refused("k", "", "\xc3"));
  EXPECT_FALSE(refused("caf\xc3\xa9", "eu", "h"));
}

}  // namespace
}  // namespace detent
