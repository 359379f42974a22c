// SPDX-License-Identifier: MIT
// A timer that takes its node with it, where the store is shared and its nodes' ends are only seen by their terms.
#include "conformance.hpp"
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

namespace durable_test {
namespace {

// A shard whose node has gone, with what was due by then.
void abandon(store& in) { EXPECT_EQ(asker{in}.take(0, "gone", 1ms).status, take_status::taken); }

TEST(AbandonedShards, GiveUpATimerThatTakesOneAfterTheOtherWithIt) {
  memory data{2};
  journal book;
  std::atomic<bool> go_on{false};
  std::atomic<int> starts{0}, died{0};
  std::string why;
  a_node other(data.connect(), book);
  other.on.schedule_after(0s, "poison", {}, {.key = "poison"});
  ASSERT_TRUE(other.on.flush(20s));
  std::vector<std::unique_ptr<a_node>> nodes;
  // The first start is seen by no mark; those after it are the ones that are counted.
  for (int i = 0; i < 5; ++i) {
    nodes.push_back(
        std::make_unique<a_node>(data.connect(), book, options{.lease = 300ms, .on_dead = [&](const dead_timer& its) {
                                                                 why = its.why;
                                                                 died = static_cast<int>(its.attempts);
                                                               }}));
    a_node& its = *nodes.back();
    its.on.handle("poison",
                  [&](job&) {
                    its.connection->cut = true;  // as far as the others see, it is gone
                    ++starts;
                    soon([&] { return go_on.load(); });
                    return outcome::done();
                  },
                  {.max_attempts = 3});
    its.on.start();
    const bool has_come = soon([&] { return starts == i + 1 || died != 0; });
    EXPECT_TRUE(has_come) << "node " << i;
    if (!has_come || died != 0) break;
  }
  EXPECT_EQ(starts, 4);
  EXPECT_EQ(died, 3);
  EXPECT_EQ(why, "its process ended during the run");
  EXPECT_TRUE(soon([&] { return nodes.back()->on.metrics().dead == 1; }));
  go_on = true;
}

TEST(AbandonedShards, GoOnWithWhatTheirNodeHadInHandAndLoseNothing) {
  memory data{2};
  journal book;
  std::atomic<bool> begun{false}, go_on{false};
  a_node other(data.connect(), book);
  for (int i = 0; i < 300; ++i) other.on.schedule_after(0s, i == 0 ? "slow" : "write", {});
  ASSERT_TRUE(other.on.flush(20s));
  a_node first(data.connect(), book, {.lease = 300ms}), second(data.connect(), book, {.lease = 300ms});
  for (a_node* const each : {&first, &second})
    each->on.handle("slow", [&, each](job& of) {
      if (each == &first) {
        each->connection->cut = true;
        begun = true;
        soon([&] { return go_on.load(); });
      }
      book.write(of);
      return outcome::done();
    });
  first.on.start();
  ASSERT_TRUE(soon([&] { return begun.load(); }));
  second.on.start();
  EXPECT_TRUE(soon([&] { return other.on.list({}).empty(); }));
  go_on = true;
  for (const auto& line : book.lines()) EXPECT_EQ(line.attempt, 1u);
}

// A backlog that waits for a slow handler takes no places on trial.
TEST(AbandonedShards, GoOnBesideAHandlerThatRunsOneAtATime) {
  memory data{1};
  journal book;
  abandon(*data.connect());
  a_node node(data.connect(), book, {.lease = 1s});
  held_runs runs;
  std::atomic<bool> ends{false};
  std::atomic<int> ran{0};
  node.on.handle("one",
                 [&](job& of) {
                   ++ran;
                   return ends ? outcome::done() : runs.hold(of);
                 },
                 {.most_running = 1});
  for (int i = 0; i < 100; ++i) node.on.schedule_after(0s, "one", {});
  for (int i = 0; i < 100; ++i) node.on.schedule_after(0s, "write", {});
  ASSERT_TRUE(node.on.flush(20s));
  node.on.start();
  EXPECT_TRUE(soon([&] { return book.size() == 100; }, 20s)) << book.size();
  EXPECT_EQ(ran, 1);
  ends = true;
  runs.end_all();
  EXPECT_TRUE(soon([&] { return ran == 100; }));
}

// One of them may be what the node before has died of, and nothing marks it.
TEST(AbandonedShards, AreAbandonedAgainByANodeThatEndsBeforeItHasTriedTheirTimers) {
  memory data{1};
  journal book;
  const auto raw = data.connect();
  abandon(*raw);
  {
    a_node node(data.connect(), book, {.lease = 300ms});
    node.on.schedule_after(0s, "of another node", {});
    ASSERT_TRUE(node.on.flush(20s));
    node.on.start();
    ASSERT_TRUE(soon([&] { return node.on.metrics().unhandled == 1; }));
  }
  take_result taken;
  ASSERT_TRUE(soon([&] {
    taken = asker{*raw}.take(0, "next", 1ms);
    return taken.status == take_status::taken;
  }));
  EXPECT_TRUE(taken.abandoned);
}

TEST(AbandonedShards, StartTheirTimersMarkedAlsoOnTheNodeThatTheyAreLentTo) {
  memory data{1};
  journal book;
  abandon(*data.connect());
  a_node first(data.connect(), book, {.lease = 2s}), second(data.connect(), book, {.lease = 2s});
  held_runs runs;
  std::atomic<bool> is_marked{false}, began_marked{false}, began{false};
  first.on.handle("one", [&](job& of) { return runs.hold(of); }, {.most_running = 1});
  second.on.handle("one", [&](job&) {
    began_marked = is_marked.load();
    began = true;
    return outcome::done();
  });
  second.on.handle("of the second node", [](job&) { return outcome::done(); });
  second.connection->before_batch = [&](std::span<const change> batch) {
    for (const change& one : batch)
      if (const auto* its = std::get_if<end_request>(&one); its != nullptr && its->how == end_kind::move && !began)
        is_marked = true;
  };
  first.on.schedule_after(0s, "one", {});
  first.on.schedule_after(0s, "one", {});
  first.on.schedule_after(0s, "of the second node", {});
  ASSERT_TRUE(first.on.flush(20s));
  first.on.start();
  ASSERT_TRUE(soon([&] { return runs.size() != 0 && first.on.metrics().in_hand == 3; }));
  second.on.start();
  ASSERT_TRUE(soon([&] { return first.on.metrics().in_hand == 1; })) << "what has not started is withdrawn";
  runs.end_all();
  ASSERT_TRUE(soon([&] { return began.load(); }));
  EXPECT_TRUE(began_marked);
  EXPECT_EQ(first.on.metrics().terms_lost, 0u) << "it has let it lapse, and lost nothing";
}

}  // namespace
}  // namespace durable_test
