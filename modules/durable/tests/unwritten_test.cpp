// SPDX-License-Identifier: MIT
// options::unwritten: what a crash repeats is bounded by count.
#include "nodes.hpp"

#include <gtest/gtest.h>

namespace durable_test {
namespace {

class UnwrittenEnds : public testing::Test {
 protected:
  memory data{4};
  journal book;
};

// Read ahead of their time, so that the reading does not limit them as well.
TEST_F(UnwrittenEnds, HoldUpTimersInTheirOrderWhereTheyAreMany) {
  a_node other(data.connect(), book);
  const auto begin = now() + 400ms;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "k" + std::to_string(i);
    other.on.schedule_at(begin + i * 1ms, "write", {}, {.key = key, .partition = "book"});
  }
  ASSERT_TRUE(other.on.flush(20s));
  a_node node(data.connect(), book, {.unwritten = 10});
  node.connection->ends_cut = true;
  node.on.start();
  std::this_thread::sleep_until(begin + 50ms);
  ASSERT_TRUE(soon([&] { return book.size() >= 5; }));
  std::this_thread::sleep_for(10ms);
  EXPECT_LE(book.size(), 10u) << "a crash would repeat them all";
  node.connection->ends_cut = false;  // amid what is due
  ASSERT_TRUE(soon([&] { return book.size() == 200; }));
  EXPECT_TRUE(std::ranges::is_sorted(book.lines(), {}, &journal::line::due));
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty(); }));
  EXPECT_EQ(book.size(), 200u);
}

TEST_F(UnwrittenEnds, LetATimerThatWaitsForThemBeCancelled) {
  a_node other(data.connect(), book);
  const auto due = now() + 200ms;
  for (int i = 0; i < 20; ++i) other.on.schedule_at(due, "write", {}, {.key = std::to_string(i)});
  ASSERT_TRUE(other.on.flush(20s));
  a_node node(data.connect(), book, {.unwritten = 1});
  node.connection->ends_cut = true;
  node.on.start();
  std::this_thread::sleep_until(due);
  ASSERT_TRUE(soon([&] { return book.size() == 1; }));
  const std::string waits = book.runs_of("0") == 0 ? "0" : "1";
  std::atomic<cancel_result> answer{cancel_result::unknown};
  other.on.cancel(
      waits, [&](cancel_result its) { answer = its; }, 20s);
  ASSERT_TRUE(soon([&] { return node.on.metrics().ends == 2; })) << "that of a run, and the answer";
  node.connection->ends_cut = false;
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty() && answer != cancel_result::unknown; }));
  EXPECT_EQ(answer, cancel_result::cancelled);
  EXPECT_EQ(book.runs_of(waits), 0);
  EXPECT_EQ(book.size(), 19u);
}

TEST_F(UnwrittenEnds, LetACancelBeAnsweredInTime) {
  a_node node(data.connect(), book);
  node.on.start();
  node.on.schedule_after(1h, "write", {}, {.key = "far"});
  ASSERT_TRUE(node.on.flush(20s));
  node.connection->ends_cut = true;
  node.on.schedule_after(0s, "write", {}, {.key = "now"});
  ASSERT_TRUE(soon([&] { return node.on.metrics().ends == 1 && node.on.metrics().unavailable != 0; }));
  EXPECT_EQ(cancelled(node.on, "far", 100ms), cancel_result::unknown);
}

TEST_F(UnwrittenEnds, LetANodeEndWhoseTimersWaitForThem) {
  a_node other(data.connect(), book);
  const auto due = now() + 200ms;
  for (int i = 0; i < 20; ++i) other.on.schedule_at(due, "write", {});
  ASSERT_TRUE(other.on.flush(20s));
  {
    a_node node(data.connect(), book, {.lease = 500ms, .unwritten = 1});
    node.connection->ends_cut = true;
    node.on.start();
    std::this_thread::sleep_until(due);
    ASSERT_TRUE(soon([&] { return book.size() != 0; }));
  }
  EXPECT_LT(book.size(), 20u);
}

TEST_F(UnwrittenEnds, AreWrittenWhenHalfOfThemAreThereWhateverTheFlush) {
  a_node other(data.connect(), book);
  for (int i = 0; i < 50; ++i) other.on.schedule_after(0s, "write", {});
  ASSERT_TRUE(other.on.flush(20s));
  a_node node(data.connect(), book, {.flush = 1h, .unwritten = 20});
  node.on.start();
  ASSERT_TRUE(soon([&] { return book.size() == 50; }));
  EXPECT_TRUE(soon([&] { return other.on.list({}).size() < 10; }));
}

}  // namespace
}  // namespace durable_test
