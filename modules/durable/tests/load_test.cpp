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

// A put and a cancel by turns are as many batches, and the store takes its time for each.
TEST(DurableLoad, ThatTheStoreIsTooSlowForLeavesNoCancelWithoutAnAnswer) {
  constexpr int pairs = 200;
  memory data;
  journal book;
  a_node node(data.connect(), book);
  node.connection->writes_take = 5ms;
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
        50ms);
  }
  ASSERT_TRUE(node.on.flush(60s));
  EXPECT_EQ(answers, pairs);
  EXPECT_GT(unknown, 0);
  EXPECT_LT(stored_by_then, pairs) << "the last cancel had to wait for the last put";
}

}  // namespace
}  // namespace durable_test
