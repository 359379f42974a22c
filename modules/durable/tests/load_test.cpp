// SPDX-License-Identifier: MIT
// Tests a node that has much to do: in one shard of many, or with a store that is slow.
#include "nodes.hpp"

#include <gtest/gtest.h>

namespace durable_test {
namespace {

TEST(DurableLoad, OfOnePartitionIsReadInFewReadingsThoughThereAreManyShards) {
  constexpr int timers = 5'000;
  memory data(64);
  journal book;
  a_node node(data.connect(), book);
  const auto due = now();
  for (int i = 0; i < timers; ++i) node.on.schedule_at(due - i * 1us, "write", {}, {.partition = "hot"});
  ASSERT_TRUE(node.on.flush(60s));
  node.on.start();
  ASSERT_TRUE(soon([&] { return book.size() == timers; })) << book.size();
  EXPECT_LT(node.connection->readings, timers / 100);  // 17 a reading would be the share of one shard of 64
}

// Reading a shard costs as much as a dozen timers. Ticks, which read all shards, are minutes apart here.
TEST(DurableLoad, OfAllShardsIsReadInFewOfThemAtATime) {
  constexpr int timers = 20'000;
  memory data(64);
  journal book;
  a_node node(data.connect(), book, {.horizon = 1h, .lease = 1h});
  const auto due = now();
  for (int i = 0; i < timers; ++i) node.on.schedule_at(due - i * 1us, "write", {});
  ASSERT_TRUE(node.on.flush(60s));
  node.on.start();
  ASSERT_TRUE(soon([&] { return book.size() == timers; })) << book.size();
  EXPECT_LT(node.connection->shards_read, timers / 40);  // 17 a shard and reading would be an even share
}

TEST(DurableLoad, OfShardsThatANodeHasLostIsNotReportedAnyMore) {
  memory data(1);
  journal book;
  std::atomic<bool> go_on{false};
  a_node node(data.connect(), book, {.lease = 300ms, .read_ahead = 10});
  node.on.handle("slow", [&](job&) {
    soon([&] { return go_on.load(); });
    return outcome::done();
  });
  for (int i = 0; i < 100; ++i) node.on.schedule_after(0s, "slow", {});
  ASSERT_TRUE(node.on.flush(60s));
  node.on.start();
  ASSERT_TRUE(soon([&] { return node.on.metrics().read_lag > 0s; }));
  node.connection->cut = true;
  EXPECT_TRUE(soon([&] { return node.on.metrics().shards_owned == 0 && node.on.metrics().read_lag == 0s; }));
  node.connection->cut = false;
  go_on = true;
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty(); }));
}

// The store is busy with a batch for longer than any of these callers has patience.
TEST(DurableLoad, ThatTheStoreIsTooSlowForLeavesNoCancelWithoutAnAnswer) {
  constexpr int pairs = 200;
  memory data;
  journal book;
  a_node node(data.connect(), book);
  node.connection->writes_take = 200ms;
  node.on.schedule_after(1h, "write", {}, {.key = "first"});
  ASSERT_TRUE(soon([&] { return node.connection->batches == 1; }));
  std::atomic<int> stored{0}, answers{0}, unknown{0}, stored_by_then{pairs};
  for (int i = 0; i < pairs; ++i) {
    const std::string key = "k" + std::to_string(i);
    node.on.schedule_after(1h, "write", {}, {.key = key, .on_stored = [&](std::error_code) { ++stored; }});
    node.on.cancel(
        key,
        [&](cancel_result result) {
          unknown += result == cancel_result::unknown;
          if (++answers == pairs) stored_by_then = stored.load();
        },
        1ms);
  }
  ASSERT_TRUE(node.on.flush(60s));
  EXPECT_EQ(answers, pairs);
  EXPECT_GT(unknown, 0);
  EXPECT_LT(stored_by_then, pairs) << "the last cancel had to wait for the last put";
}

// Order flow: a batch does not end where the kind of operation changes.
TEST(DurableLoad, OfPutsAndCancelsByTurnsNeedsNoMoreBatchesThanPutsAlone) {
  constexpr int pairs = 2000;
  memory data;
  journal book;
  a_node node(data.connect(), book);
  node.connection->writes_take = 200ms;  // longer than the calls take
  std::atomic<int> cancelled{0};
  for (int i = 0; i < pairs; ++i) {
    const std::string key = "k" + std::to_string(i);
    node.on.schedule_after(1h, "write", {}, {.key = key});
    node.on.cancel(
        key, [&](cancel_result result) { cancelled += result == cancel_result::cancelled; }, 60s);
  }
  ASSERT_TRUE(node.on.flush(60s));
  EXPECT_EQ(cancelled, pairs);
  EXPECT_LT(node.connection->batches, 20);
}

TEST(DurableLoad, IsBoundedInBytes) {
  constexpr std::size_t limit = 1 << 20;
  memory data(1);
  journal book;
  const std::string large(payload_limit, 'x');
  a_node node(data.connect(), book, {.outbox_bytes = limit, .read_ahead_bytes = limit});
  node.connection->writes_take = 50ms;  // longer than the calls take that fill the outbox
  std::size_t most = 0;
  int refused = 0;
  const auto due = now() + 2s;
  for (int i = 0; i < 100;) {
    try {
      node.on.schedule_at(due, "write", bytes(large));
      ++i;
    } catch (const detent::error& problem) {
      ASSERT_EQ(problem.code(), errc::outbox_full);
      EXPECT_NE(std::string_view(problem.what()).find("outbox_bytes"), std::string_view::npos) << problem.what();
      ++refused;
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_LE(node.on.metrics().outbox_bytes, limit);
  }
  EXPECT_GT(refused, 0) << "6 MiB fit into one, as it seems";
  ASSERT_TRUE(node.on.flush(60s));
  node.on.start();
  ASSERT_TRUE(soon([&] {
    most = std::max(most, node.on.metrics().in_hand_bytes);
    return book.size() == 100;
  }));
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, limit + payload_limit);
}

}  // namespace
}  // namespace durable_test
