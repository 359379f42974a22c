// SPDX-License-Identifier: MIT
// Timers themselves on the store in PostgreSQL, and a program that uses the same database.
#include "client.hpp"
#include "postgres_server.hpp"

#include <detent/durable_postgres.hpp>

#include <gtest/gtest.h>

#include "../nodes.hpp"

#include <atomic>
#include <set>
#include <string>

namespace durable_test {
namespace {

using detent::test::postgres_client;

class DurablePostgresTimers : public ::testing::Test {
 protected:
  void SetUp() override {
    DETENT_NEED_POSTGRES();
    detent::test::postgres_server& server = detent::test::shared_postgres();
    url = server.url(server.make_database());
  }

  std::string url;
  journal book;
};

TEST_F(DurablePostgresTimers, WhatTransactionsPutRunsOnceTheyAreCommitted) {
  a_node node(postgres_store(url, {.shards = 4}), book);
  node.on.start();
  postgres_client user(url);
  const std::string put = "select detent.schedule_at('write', clock_timestamp(), key => '";
  user.ask("begin; " + put + "rolled back')");
  user.ask("rollback");
  user.ask("begin; " + put + "a'); savepoint s; " + put + "b'); rollback to savepoint s; " + put + "c')");
  user.ask("prepare transaction 'p'");
  user.ask("begin isolation level serializable; " + put + "d')");
  node.on.schedule_after(0s, "write", {}, {.key = "own"});
  EXPECT_TRUE(soon([&] { return book.runs_of("own") == 1; }));
  user.ask("commit");
  user.ask("commit prepared 'p'");
  EXPECT_TRUE(soon([&] { return book.size() == 4; }));
  EXPECT_TRUE(node.on.flush(60s));
  std::set<std::string> ran;
  for (const journal::line& its : book.lines()) ran.insert(its.key);
  EXPECT_EQ(ran, (std::set<std::string>{"a", "c", "d", "own"}));
  EXPECT_EQ(book.size(), 4u);
}

TEST_F(DurablePostgresTimers, AHandlerEndsItsTimerTogetherWithWhatItWrites) {
  postgres_client handler(url);
  handler.ask("create table written (key text, run int)");
  a_node node(postgres_store(url, {.shards = 1}), book);
  std::atomic<int> runs{0};
  node.on.handle("h", [&](job& of) {
    const int run = ++runs;
    handler.ask("begin");
    handler.ask("insert into written values ('" + std::string(of.key()) + "', " + std::to_string(run) + ")");
    const bool ends = of.finish_in(handler.get()) && run != 1;
    handler.ask(ends ? "commit" : "rollback");  // the first time as if its process had failed
    return outcome::done();
  });
  node.on.start();
  node.on.schedule_after(0s, "h", {}, {.key = "k"});
  EXPECT_TRUE(soon([&] { return runs >= 2 && node.on.list({}).empty(); }));
  EXPECT_EQ(handler.ask("select string_agg(key || run, ' ') from written"), "k2");
}

TEST_F(DurablePostgresTimers, NamesAreText) {
  a_node node(postgres_store(url), book);
  const auto refused = [&](const std::string& key, const std::string& partition, const std::string& handler) {
    try {
      node.on.schedule_after(1h, handler, {}, {.key = key, .partition = partition});
    } catch (const detent::error& why) {
      EXPECT_NE(std::string(why.what()).find("UTF-8"), std::string::npos) << why.what();
      return why.code() == errc::unsupported;
    }
    return false;
  };
  EXPECT_TRUE(refused("\xff", "", "h"));
  EXPECT_TRUE(refused("k", std::string("a\0b", 3), "h"));
  EXPECT_TRUE(refused("k", "", "\xc3"));
  EXPECT_FALSE(refused("caf\xc3\xa9", "eu", "h"));
}

}  // namespace
}  // namespace durable_test
