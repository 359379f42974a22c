// SPDX-License-Identifier: MIT
// The end of a node, and what becomes of timers whose engine or whose term ends.
#include "conformance.hpp"
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/engine_executors.hpp"

namespace durable_test {
namespace {

class NodeEnds : public testing::Test {
 protected:
  memory data{1};
  journal book;
  a_node other{data.connect(), book};  // schedules, and looks

  // A node on an engine that is not its own, which runs `slow` until go_on.
  std::unique_ptr<timers> on(detent::engine& engine, std::shared_ptr<store> to, options how = {}) {
    auto made = std::make_unique<timers>(engine, std::move(to), how);
    made->handle("slow",
                 [this](job& of) {
                   begun = true;
                   soon([&] { return go_on.load(); });
                   book.write(of);
                   return outcome::retry();
                 },
                 {.first_retry = 10ms});
    made->handle("write", [this](job& of) {
      book.write(of);
      return outcome::done();
    });
    return made;
  }

  std::atomic<bool> begun{false}, go_on{false};
};

TEST_F(NodeEnds, AfterARunThatWaitedForEndsAndHasLostItsTerm) {
  other.on.schedule_after(0s, "write", {}, {.key = "first"});
  other.on.schedule_after(1ms, "slow", {}, {.key = "second"});
  ASSERT_TRUE(other.on.flush(20s));
  detent::engine engine;
  const auto connection = std::make_shared<breakable>(data.connect());
  auto node = on(engine, connection, {.lease = 2s, .unwritten = 1});
  connection->ends_cut = true;
  node->start();
  ASSERT_TRUE(soon([&] { return node->metrics().in_hand == 2 && book.size() == 1; }));
  connection->ends_cut = false;
  ASSERT_TRUE(soon([&] { return begun.load(); }));
  const std::uint64_t lost = node->metrics().terms_lost;
  connection->cut = true;
  ASSERT_TRUE(soon([&] { return node->metrics().terms_lost > lost; }));
  auto ran = std::async(std::launch::async, [&] {
    node.reset();
    return book.runs_of("second");
  });
  std::this_thread::sleep_for(3s);  // longer than the lease, after which it gives the store up
  go_on = true;
  EXPECT_EQ(ran.get(), 1);
}

TEST_F(NodeEnds, AfterItsEngineHasStopped) {
  other.on.schedule_after(5s, "write", {}, {.key = "k"});
  ASSERT_TRUE(other.on.flush(20s));
  detent::engine engine;
  auto node = on(engine, data.connect(), {.horizon = 1h});
  node->start();
  ASSERT_TRUE(soon([&] { return node->metrics().in_hand == 1; }));
  const std::vector<detent::unfired_timer> left = engine.stop();
  node.reset();
  EXPECT_EQ(other.on.list({}).size(), 1u);
}

// It is marked, and waits for another one of its handler.
TEST_F(NodeEnds, AfterItsEngineHasStoppedWithARunThatStartsWithCare) {
  asker{*other.connection}.take(0, "gone", 1ms);
  detent::engine engine;
  auto node = std::make_unique<timers>(engine, data.connect(), options{.lease = 1s});
  held_runs runs;
  node->handle("one", [&](job& of) { return runs.hold(of); }, {.most_running = 1});
  node->start();
  const bool is_there = soon([&] { return node->metrics().shards_owned == 1; });
  other.on.schedule_after(1ms, "one", {});
  const bool runs_one = is_there && soon([&] { return runs.size() == 1; });
  other.on.schedule_at(now() - 1h, "one", {});  // due before the shard was abandoned
  const auto attempts_are = [&](std::uint32_t attempt) {
    return std::ranges::count(other.on.list({}), attempt, &listed::attempt) == 1;
  };
  EXPECT_TRUE(runs_one && soon([&] { return attempts_are(2); }, 20s)) << "marked";
  static_cast<void>(engine.stop());
  runs.end_all();
  node.reset();
  EXPECT_EQ(other.on.list({}).size(), 1u);
  EXPECT_TRUE(attempts_are(1));
}

TEST_F(NodeEnds, WhatItsEngineGaveBackDoesNotRunOnceItIsCancelled) {
  other.on.schedule_after(1min, "write", {}, {.key = "k"});
  ASSERT_TRUE(other.on.flush(20s));
  detent::engine engine;
  const auto node = on(engine, data.connect(), {.horizon = 1h});
  node->start();
  ASSERT_TRUE(soon([&] { return node->metrics().in_hand == 1; }));
  std::vector<detent::unfired_timer> left = engine.stop();
  ASSERT_EQ(cancelled(other.on, "k"), cancel_result::cancelled);
  for (detent::unfired_timer& each : left) each.run();
  EXPECT_EQ(book.size(), 0u);
}

TEST_F(NodeEnds, WhatAnExecutorDropsRunsLater) {
  for (int i = 0; i < 10; ++i) other.on.schedule_after(0s, "write", {}, {.key = std::to_string(i)});
  ASSERT_TRUE(other.on.flush(20s));
  const auto runs_them = std::make_shared<detent::testing::moody_executor>();
  runs_them->refuse = true;
  detent::engine engine({.executor = runs_them, .on_refusal = detent::refusal_policy::drop});
  const auto node = on(engine, data.connect(), {.lease = 2s});
  node->start();
  ASSERT_TRUE(soon([&] { return runs_them->asked >= 10; }));
  runs_them->refuse = false;
  EXPECT_TRUE(soon([&] { return other.on.list({}).empty(); }));
  EXPECT_EQ(book.size(), 10u);
}

// All in one reading: the cancel is of what was there before it.
TEST_F(NodeEnds, WhatIsPutAfterACancelIsKept) {
  go_on = true;
  other.on.schedule_after(1h, "slow", {}, {.key = "k"});
  ASSERT_TRUE(other.on.flush(20s));
  detent::engine engine;
  const auto connection = std::make_shared<breakable>(data.connect());
  const auto node = on(engine, connection, {.horizon = 2h, .lease = 20s});
  node->start();
  ASSERT_TRUE(soon([&] { return node->metrics().in_hand == 1; }));
  connection->cut = true;
  const timer_options again{.key = "k", .conflict = on_conflict::replace};
  std::atomic<cancel_result> answer{cancel_result::unknown};
  other.on.schedule_after(2min, "slow", {}, again);
  other.on.cancel(
      "k", [&](cancel_result its) { answer = its; }, 1h);
  other.on.schedule_after(0s, "slow", {}, again);
  ASSERT_TRUE(other.on.flush(20s));
  connection->cut = false;
  EXPECT_TRUE(soon([&] { return book.size() == 2; })) << "it is tried again, as the store still has it";
  EXPECT_EQ(answer, cancel_result::cancelled);
}

// In its own handler, on each kind of thread that runs one.
class NodeEndsInItsHandler : public NodeEnds {
 protected:
  void destroys_itself(const handler_options& how, bool detaches) {
    detent::engine engine;
    auto node = std::make_unique<timers>(engine, data.connect());
    std::atomic<bool> gone{false};
    std::optional<job::later> later;
    node->handle(
        "shut down",
        [&, text = std::string(100, 'x')](job& of) {
          if (detaches) later.emplace(of.detach());
          node.reset();
          EXPECT_EQ(text, std::string(100, 'x')) << "the handler is there until it returns";
          book.write(of);
          later.reset();
          gone = true;
          return outcome::retry("means nothing");
        },
        how);
    node->start();
    other.on.schedule_after(0s, "shut down", {}, {.key = "k"});
    other.on.schedule_after(1h, "shut down", {}, {.key = "later"});
    ASSERT_TRUE(soon([&] { return gone.load(); }));
    EXPECT_EQ(book.runs_of("k"), 1);
    const std::vector<listed> left = other.on.list({});
    ASSERT_EQ(left.size(), 1u) << "its run counts as done";
    EXPECT_EQ(left[0].key, "later");
  }
};

TEST_F(NodeEndsInItsHandler, OnTheEnginesWorker) { destroys_itself({}, false); }

TEST_F(NodeEndsInItsHandler, WithItsRunDetached) { destroys_itself({}, true); }

TEST_F(NodeEndsInItsHandler, OnAThreadOfItsExecutor) {
  std::thread runs;
  destroys_itself({.executor = [&](std::function<void()> what) { runs = std::thread(std::move(what)); }}, false);
  runs.join();
}

// A handler that helps with what its executor has queued.
TEST(NodeEndsInTheirHandlers, OneOfWhichRunsInTheOther) {
  memory data{1};
  detent::engine engine;
  auto on = std::make_unique<timers>(engine, data.connect());
  std::mutex lock;
  std::vector<std::function<void()>> queued;
  std::atomic<bool> done{false};
  std::thread runs;
  on->handle("outer",
             [&](job&) {
               std::function<void()> inner;
               soon([&] {
                 const std::lock_guard locked(lock);
                 if (!queued.empty()) inner = std::exchange(queued, {}).front();
                 return inner != nullptr;
               });
               inner();
               done = true;
               return outcome::retry();
             },
             {.executor = [&](auto call) { runs = std::thread(std::move(call)); }});
  on->handle("inner",
             [&](job&) {
               on.reset();
               return outcome::retry();
             },
             {.executor = [&](auto call) {
               const std::lock_guard locked(lock);
               queued.push_back(std::move(call));
             }});
  on->start();
  on->schedule_after(0s, "outer", {});
  on->schedule_after(0s, "inner", {});
  ASSERT_TRUE(soon([&] { return done.load(); }));
  runs.join();
  EXPECT_TRUE(timers(engine, data.connect()).list({}).empty());
}

TEST(NodeEndsDeathTest, InACallbackOfItsOwnThreadIsRefusedByASentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        memory data{1};
        detent::engine engine;
        auto node = std::make_unique<timers>(engine, data.connect());
        node->schedule_after(1h, "any", {}, {.on_stored = [&](const put_result&) { node.reset(); }});
        std::this_thread::sleep_for(60s);
      },
      "destroyed by a callback on their own thread");
}

}  // namespace
}  // namespace durable_test
