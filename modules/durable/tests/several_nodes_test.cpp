// SPDX-License-Identifier: MIT
// Tests several nodes on one store, and a node that loses it.
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <optional>
#include <set>

namespace durable_test {
namespace {

constexpr auto lease = 1000ms;  // no thread is off the processor for so long
const options quick{.horizon = 200ms, .lease = lease};

class SeveralNodes : public testing::Test {
 protected:
  memory data{8};
  journal book;

  void schedule(a_node& by, int count, std::chrono::milliseconds apart) {
    const auto begin = now() + 100ms;
    for (int i = 0; i < count; ++i)
      by.on.schedule_at(begin + i * apart, "write", {},
                        {.key = "k" + std::to_string(i), .partition = "p" + std::to_string(i % 5)});
    ASSERT_TRUE(by.on.flush(10s));
  }
  bool all_ran(int count) {
    return soon([&] {
      std::set<std::string> keys;
      for (const auto& line : book.lines()) keys.insert(line.key);
      return keys.size() == static_cast<std::size_t>(count);
    });
  }
  void nothing_ran_early() {
    for (const auto& line : book.lines()) EXPECT_GE(line.started, line.due) << line.key;
  }
};

TEST_F(SeveralNodes, ShareTheShardsAndRunEachTimerOnce) {
  a_node a(data.connect(), book, quick, "a");
  a_node b(data.connect(), book, quick, "b");
  a.on.start();
  b.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned + b.on.metrics().shards_owned == 8; }));
  schedule(a, 400, 2ms);
  ASSERT_TRUE(all_ran(400));
  EXPECT_EQ(book.size(), 400u);
  nothing_ran_early();
  std::map<std::string, std::set<std::string>> nodes_of_partition;
  for (const auto& line : book.lines())
    nodes_of_partition["p" + std::to_string(std::stoi(line.key.substr(1)) % 5)].insert(line.node);
  for (const auto& [partition, nodes] : nodes_of_partition)
    EXPECT_LE(nodes.size(), 2u) << "at most one move, at the start";
}

TEST_F(SeveralNodes, OneThatGetsItsShardsAgainAfterAnOutageRepeatsNothing) {
  a_node a(data.connect(), book, quick, "a");
  a.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned == 8; }));
  schedule(a, 400, 2ms);
  ASSERT_TRUE(soon([&] { return book.size() > 50; }));
  a.connection->cut = true;
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned == 0; })) << "what ran meanwhile ended in no term";
  a.connection->cut = false;
  ASSERT_TRUE(all_ran(400));
  EXPECT_EQ(book.size(), 400u);
  EXPECT_TRUE(soon([&] { return a.on.list({}).empty(); }));
}

TEST_F(SeveralNodes, OneThatEndsGivesItsShardsBackAtOnce) {
  std::optional<a_node> a(std::in_place, data.connect(), book, options{.lease = 1h}, "a");
  a_node b(data.connect(), book, options{.horizon = 200ms, .lease = 1s}, "b");
  a->on.start();
  ASSERT_TRUE(soon([&] { return a->on.metrics().shards_owned == 8; }));
  schedule(*a, 200, 5ms);
  b.on.start();
  ASSERT_TRUE(soon([&] { return book.size() > 50; }));
  a.reset();
  ASSERT_TRUE(all_ran(200)) << "a's lease is an hour";
  EXPECT_EQ(book.size(), 200u) << "after a clean end nothing runs twice";
}

TEST_F(SeveralNodes, OneThatCannotCallTheRollKeepsItsTerms) {
  a_node a(data.connect(), book, quick, "a");
  a.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned == 8; }));
  const std::uint64_t terms = a.on.metrics().terms;
  a.connection->roll_cut = true;
  schedule(a, 100, 35ms);  // for more than three leases
  ASSERT_TRUE(all_ran(100));
  EXPECT_EQ(a.on.metrics().terms_lost, 0u);
  EXPECT_EQ(a.on.metrics().terms, terms);
  EXPECT_TRUE(a.reported->has(errc::unavailable)) << "and says so";
}

TEST_F(SeveralNodes, OneThatWaitsForTheStoreIsNotFlushedByACancelThatGivesUp) {
  a_node a(data.connect(), book, quick, "a");
  a.connection->cut = true;
  a.on.schedule_after(1h, "write", {});
  auto flushed = std::async(std::launch::async, [&] { return a.on.flush(500ms); });
  std::this_thread::sleep_for(50ms);  // it has begun by then, or waits for the cancel as well
  EXPECT_EQ(cancelled(a.on, "other", 1ms), cancel_result::unknown);
  EXPECT_FALSE(flushed.get());
  a.connection->cut = false;
  EXPECT_TRUE(a.on.flush(20s));
}

TEST_F(SeveralNodes, OneThatEndsKeepsItsTermsUntilItsHandlersAreDone) {
  std::optional<a_node> a(std::in_place, data.connect(), book, quick, "a");
  a_node b(data.connect(), book, quick, "b");
  std::atomic<bool> runs{false};
  for (a_node* const one : {&*a, &b})
    one->on.handle("slow", [&](job& of) {
      book.write(of);
      runs = true;
      std::this_thread::sleep_for(3 * lease);
      return outcome::done();
    });
  a->on.start();
  a->on.schedule_after(0s, "slow", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return runs.load(); }));
  b.on.start();
  a.reset();
  EXPECT_TRUE(soon([&] { return b.on.metrics().shards_owned == 8 && b.on.list({}).empty(); }));
  EXPECT_EQ(book.runs_of("k"), 1);
}

TEST_F(SeveralNodes, OneThatOnlySchedulesGoesOnWhenTheStoreAnswersAgain) {
  a_node a(data.connect(), book, quick, "a");
  a.connection->cut = true;
  a.on.schedule_after(1h, "write", {});
  ASSERT_TRUE(soon([&] { return a.on.metrics().unavailable != 0; }));
  a.connection->cut = false;
  EXPECT_TRUE(a.on.flush(20s));
}

TEST_F(SeveralNodes, OneThatIsCutOffRunsToTheEndOfItsTermAndNotLonger) {
  a_node a(data.connect(), book, quick, "a");
  a.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned == 8; }));
  schedule(a, 1000, 1ms);
  ASSERT_TRUE(soon([&] { return book.size() > 50; }));
  a.connection->cut = true;
  const auto cut_at = now();
  a_node b(data.connect(), book, quick, "b");
  b.on.start();
  ASSERT_TRUE(all_ran(1000));
  nothing_ran_early();
  EXPECT_TRUE(a.reported->has(errc::unavailable)) << a.reported->all();
  // b had no term before those of a were over by the store's clock: by then a must have started its last.
  std::map<std::string, journal::line> first_of_b;
  const auto lines = book.lines();
  const auto first_b = std::ranges::find(lines, std::string("b"), &journal::line::node);
  ASSERT_NE(first_b, lines.end());
  for (auto line = first_b; line != lines.end(); ++line) EXPECT_EQ(line->node, "b") << line->key;
  for (const auto& line : lines) {
    EXPECT_TRUE(line.node == "b" || line.started < cut_at + lease) << line.key;
    EXPECT_TRUE(line.node == "a" || line.fence > lines.front().fence) << line.key;
  }
  a.connection->cut = false;
  EXPECT_TRUE(soon([&] { return a.reported->has({}); })) << "it answers again";
}

constexpr auto long_lease = 2000ms;

// A reading of a's arrives so late that b has its shards by then or soon after: once b runs something, a does not.
class LateAnswers : public SeveralNodes {
 protected:
  void nothing_of_a_after_the_first_of_b(std::chrono::milliseconds late) {
    const options how{.horizon = 5s, .lease = long_lease};
    a_node a(data.connect(), book, how, "a");
    a.on.start();
    ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned == 8; }));
    schedule(a, 300, 20ms);
    ASSERT_TRUE(soon([&] { return book.size() > 10; }));
    a.connection->last_answer_after = late;
    a_node b(data.connect(), book, how, "b");
    b.on.start();
    ASSERT_TRUE(all_ran(300));
    const auto lines = book.lines();
    const auto first_b = std::ranges::find(lines, std::string("b"), &journal::line::node);
    ASSERT_NE(first_b, lines.end());
    EXPECT_EQ(std::count_if(first_b, lines.end(), [](auto& line) { return line.node == "a"; }), 0);
    a.connection->cut = false;
  }
};

TEST_F(LateAnswers, ARenewalCountsFromBeforeItWasAskedFor) { nothing_of_a_after_the_first_of_b(long_lease * 8 / 10); }

TEST_F(LateAnswers, OneWhoseStoreHangsStartsNothingAfterItsTerm) { nothing_of_a_after_the_first_of_b(long_lease * 3); }

TEST_F(SeveralNodes, WhatNobodyTakesGoesBeforeFairness) {
  // Half of the shards fall to one who is there and takes none.
  roll_call roll;
  ASSERT_EQ(data.connect()->call_roll("idler", 1h, roll), errc{});
  a_node a(data.connect(), book, quick, "a");
  a.on.start();
  ASSERT_TRUE(soon([&] { return a.on.metrics().shards_owned == 8; }));
  schedule(a, 50, 1ms);
  EXPECT_TRUE(all_ran(50));
}

TEST_F(SeveralNodes, ScheduleIntoTheOutboxWhileTheStoreIsAway) {
  a_node a(data.connect(), book, {.lease = 400ms, .outbox = 10}, "a");
  a.on.start();
  a.connection->cut = true;
  for (int i = 0; i < 10; ++i) a.on.schedule_after(0s, "write", {}, {.key = "k" + std::to_string(i)});
  try {
    a.on.schedule_after(0s, "write", {}, {.key = "too many"});
    FAIL() << "it holds ten";
  } catch (const detent::error& refused) {
    EXPECT_EQ(refused.code(), make_error_code(errc::outbox_full));
    EXPECT_NE(std::string_view(refused.what()).find("10 operations"), std::string_view::npos) << refused.what();
  }
  EXPECT_FALSE(a.on.flush(50ms));
  EXPECT_EQ(a.on.metrics().outbox, 10u);
  a.connection->cut = false;
  EXPECT_TRUE(a.on.flush(10s));
  ASSERT_TRUE(all_ran(10));
  EXPECT_EQ(book.runs_of("too many"), 0);
}

TEST_F(SeveralNodes, CancelFromAnotherNodeIsTheOwnersAnswer) {
  a_node owner(data.connect(), book, {.horizon = 10s, .lease = 5s}, "owner");
  a_node other(data.connect(), book, quick, "other");
  owner.on.start();
  ASSERT_TRUE(soon([&] { return owner.on.metrics().shards_owned == 8; }));
  const auto due = now() + 3s;
  other.on.schedule_at(due, "write", {}, {.key = "near"});
  other.on.schedule_after(0s, "write", {}, {.key = "ran"});
  ASSERT_TRUE(soon([&] { return book.runs_of("ran") == 1; }));
  EXPECT_EQ(cancelled(other.on, "near"), cancel_result::cancelled);
  EXPECT_EQ(cancelled(other.on, "ran"), cancel_result::gone);
  std::this_thread::sleep_until(due + 100ms);
  EXPECT_EQ(book.runs_of("near"), 0);
}

TEST_F(SeveralNodes, CancelIsUnknownWhereTheOwnerDoesNotAnswer) {
  a_node owner(data.connect(), book, {.horizon = 10s, .lease = 5s}, "owner");
  a_node other(data.connect(), book, quick, "other");
  owner.on.start();
  ASSERT_TRUE(soon([&] { return owner.on.metrics().shards_owned == 8; }));
  const auto due = now() + 3s;
  other.on.schedule_at(due, "write", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return owner.on.metrics().in_hand == 1; }));
  owner.connection->cut = true;
  EXPECT_EQ(cancelled(other.on, "k", 100ms), cancel_result::unknown);
  std::this_thread::sleep_until(due + 100ms);
  EXPECT_LE(book.runs_of("k"), 1);
  owner.connection->cut = false;
}

TEST_F(SeveralNodes, ALongRunKeepsItsTermAndALapsedOneIsRefused) {
  std::atomic<bool> mine_before{false}, mine_after{true}, go_on{false}, begun{false};
  a_node a(data.connect(), book, quick, "a");
  a.on.handle("long", [&](job& of) {
    book.write(of, "a");
    begun = true;
    std::this_thread::sleep_for(lease * 2);
    mine_before = of.still_mine();
    soon([&] { return go_on.load(); });
    mine_after = of.still_mine();
    return outcome::done();
  });
  a.on.start();
  a.on.schedule_after(0s, "long", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return begun.load(); }));
  std::this_thread::sleep_for(lease * 2);
  ASSERT_TRUE(soon([&] { return mine_before.load(); })) << "renewed meanwhile";
  a.connection->cut = true;
  a_node b(data.connect(), book, quick, "b");
  b.on.handle("long", [&](job& of) {
    book.write(of, "b");
    return outcome::done();
  });
  b.on.start();
  ASSERT_TRUE(soon([&] { return book.runs_of("k") == 2; })) << "at least once, once a term";
  go_on = true;
  ASSERT_TRUE(soon([&] { return !mine_after.load(); }));
  a.connection->cut = false;
  EXPECT_TRUE(soon([&] { return a.on.metrics().fenced == 1; })) << "a's end came too late";
  EXPECT_TRUE(soon([&] { return b.on.list({}).empty(); }));
}

}  // namespace
}  // namespace durable_test
