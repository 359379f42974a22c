// SPDX-License-Identifier: MIT
// How a node ends, and what becomes of timers whose engine or whose term does.
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <future>
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
  const std::vector<detent::unfired> left = engine.stop();
  node.reset();
  EXPECT_EQ(other.on.list({}).size(), 1u);
}

TEST_F(NodeEnds, WhatItsEngineGaveBackDoesNotRunOnceItIsCancelled) {
  other.on.schedule_after(1min, "write", {}, {.key = "k"});
  ASSERT_TRUE(other.on.flush(20s));
  detent::engine engine;
  const auto node = on(engine, data.connect(), {.horizon = 1h});
  node->start();
  ASSERT_TRUE(soon([&] { return node->metrics().in_hand == 1; }));
  std::vector<detent::unfired> left = engine.stop();
  ASSERT_EQ(cancelled(other.on, "k"), cancel_result::cancelled);
  for (detent::unfired& each : left) each.run();
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

TEST_F(NodeEnds, WhatIsCancelledWhileItRunsIsNotThereAgainForAnother) {
  detent::engine engine;
  const auto node = on(engine, data.connect());
  node->start();
  other.on.schedule_after(0s, "slow", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return begun.load(); }));
  EXPECT_EQ(cancelled(other.on, "k", 60s), cancel_result::running);
  EXPECT_TRUE(other.on.list({}).empty());
  go_on = true;
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

}  // namespace
}  // namespace durable_test
