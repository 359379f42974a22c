// SPDX-License-Identifier: MIT
// Tests what becomes of a node's terms while a transaction of the program's own holds timers that it has run.
#include "conformance.hpp"
#include "transactions.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace durable_test {
namespace {

class HeldTerms : public testing::Test {
 protected:
  static constexpr shard_id shards = 32;  // so that another node that comes has some of them

  memory data{shards};
  database rows{data};
  pg_conn open{rows};
  journal book;
  a_node node{std::make_shared<transactional>(data.connect(), rows), book, {.lease = 200ms}};
  a_node other{std::make_shared<transactional>(data.connect(), rows), book, {.lease = 200ms}};

  // One in each shard that has run, and whose end cannot be written.
  void run_and_hold() {
    node.on.start();
    ASSERT_TRUE(soon([&] { return node.on.metrics().shards_owned == shards; }));
    for (shard_id shard = 0; shard != shards; ++shard) {
      int i = 0;
      while (shard_of(std::to_string(i), "", shards) != shard) ++i;
      open.hold(stored_key(std::to_string(i)));
      asker{*rows.rows}.put({.shard = shard,
                             .key = stored_key(std::to_string(i)),
                             .id = 1,
                             .due = std::chrono::time_point_cast<stored_time::duration>(now()),
                             .handler = "write"});
    }
    ASSERT_TRUE(soon([&] { return book.size() == shards && node.on.metrics().ends == shards; }));
  }
  void expect_runs_of_others() {
    for (int i = 0; i != 100; ++i) node.on.schedule_after(0s, "write", {}, {.key = "other" + std::to_string(i)});
    const auto have_run = [&] {
      for (int i = 0; i != 100; ++i)
        if (book.runs_of("other" + std::to_string(i)) == 0) return false;
      return true;
    };
    EXPECT_TRUE(soon(have_run));
  }
  void expect_end() {
    open.roll_back();
    EXPECT_TRUE(soon([&] { return node.on.list({}).empty(); }));
  }
};

TEST_F(HeldTerms, AShardThatTheNodeHasAgainIsReadAllTheSame) {
  run_and_hold();
  node.connection->cut = true;
  ASSERT_TRUE(soon([&] { return node.on.metrics().terms_lost == shards; }));
  node.connection->cut = false;
  expect_runs_of_others();
  expect_end();
}

TEST_F(HeldTerms, AShardThatFallsToAnotherNodeGoesThere) {
  run_and_hold();
  other.on.start();
  EXPECT_TRUE(soon([&] { return other.on.metrics().shards_owned != 0; }));
  expect_runs_of_others();
  expect_end();
}

}  // namespace
}  // namespace durable_test
