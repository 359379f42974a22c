// SPDX-License-Identifier: MIT
// The options of one handler: a limit, and an executor.
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace durable_test {
namespace {

class HandlerOptions : public testing::Test {
 protected:
  memory data{2};
  journal book;
  a_node node{data.connect(), book};

  void put(std::string_view handler, int count) {
    const auto due = now();
    for (int i = 0; i < count; ++i) node.on.schedule_at(due - (count - i) * 1ms, handler, {}, {.partition = "one"});
  }
};

// Detached runs count until they end.
TEST_F(HandlerOptions, LimitHowManyOfItsRunsGoOnAtOnce) {
  held_runs going_on;
  std::atomic<std::size_t> most = 0;
  node.on.handle("slow",
                 [&](job& of) {
                   book.write(of);
                   const outcome how = going_on.hold(of);
                   most = std::max(most.load(), going_on.size());
                   return how;
                 },
                 {.most_running = 3});
  put("slow", 50);
  put("write", 20);
  ASSERT_TRUE(node.on.flush(20s));
  node.on.start();
  ASSERT_TRUE(soon([&] { return book.size() == 23; })) << "those of others go ahead";
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(book.size(), 23u);
  ASSERT_TRUE(soon([&] {
    going_on.end_all();
    return book.size() == 70 && node.on.list({}).empty();
  }));
  EXPECT_LE(most, 3u);
}

TEST_F(HandlerOptions, LetATimerThatWaitsForOthersOfItsHandlerBeCancelled) {
  std::atomic<bool> go_on{false};
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  node.on.handle(
      "slow",
      [&](job&) {
        ++begun;
        soon([&] { return go_on.load(); });
        return outcome::done();
      },
      {.most_running = 1, .executor = [&](std::function<void()> call) { threads.emplace_back(std::move(call)); }});
  node.on.start();
  node.on.schedule_after(0s, "slow", {}, {.key = "first"});
  ASSERT_TRUE(soon([&] { return begun == 1; }));
  node.on.schedule_after(0s, "slow", {}, {.key = "second"});
  ASSERT_TRUE(soon([&] { return node.on.metrics().in_hand == 2; }));
  EXPECT_EQ(cancelled(node.on, "second"), cancel_result::cancelled);
  go_on = true;
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty(); }));
  EXPECT_EQ(begun, 1);
  for (std::thread& one : threads) one.join();
}

TEST_F(HandlerOptions, ExecutorRunsItAndIsAskedAgainWhereItDoesNot) {
  std::atomic<int> asked{0};
  std::atomic<std::thread::id> ran_on{};
  node.on.handle("own",
                 [&](job& of) {
                   book.write(of);
                   ran_on = std::this_thread::get_id();
                   return outcome::done();
                 },
                 {.executor = [&](std::function<void()> call) {
                   const int its = ++asked;
                   if (its == 1) throw std::runtime_error("full");
                   if (its == 2) return;  // thrown away
                   std::thread(std::move(call)).join();
                 }});
  node.on.start();
  node.on.schedule_after(0s, "own", {}, {.key = "k"});
  EXPECT_TRUE(soon([&] { return book.size() == 1 && node.on.list({}).empty(); }));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(book.lines().at(0).attempt, 1u);
}

}  // namespace
}  // namespace durable_test
