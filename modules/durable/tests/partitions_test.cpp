// SPDX-License-Identifier: MIT
// The partition is part of a timer's name.
#include "nodes.hpp"

#include <gtest/gtest.h>

namespace durable_test {
namespace {

TEST(DurablePartitions, KeepTheSameKeyApart) {
  journal book;
  memory one_shard(1);  // where only their names keep them apart
  a_node node(one_shard.connect(), book);
  const auto due = now() + 1h;
  const std::vector<std::string> partitions = {"", "account:0", "account:1", "order:1"};
  for (const std::string& of : partitions)
    node.on.schedule_at(due, "write", bytes(of), {.key = "order:1", .conflict = on_conflict::fail, .partition = of});
  ASSERT_TRUE(node.on.flush(10s));
  EXPECT_EQ(node.on.list({.key_prefix = "order:"}).size(), partitions.size());
  const std::vector<listed> of_one = node.on.list({.partition = "account:1"});
  ASSERT_EQ(of_one.size(), 1u);
  EXPECT_EQ(of_one[0].key, "order:1");
  EXPECT_EQ(of_one[0].partition, "account:1");
  EXPECT_EQ(cancelled(node.on, {"order:1", "account:0"}), cancel_result::cancelled);
  EXPECT_EQ(cancelled(node.on, {"order:1", "account:0"}), cancel_result::gone);
  node.on.restart_at({"order:1", "account:1"}, now());
  node.on.start();
  ASSERT_TRUE(soon([&] { return book.size() == 1; }));
  EXPECT_EQ(book.lines()[0].payload, "account:1");
  EXPECT_EQ(book.lines()[0].partition, "account:1");
  ASSERT_TRUE(soon([&] { return node.on.list({}).size() == 2; }));
}

}  // namespace
}  // namespace durable_test
