// SPDX-License-Identifier: MIT
// Tests one node and its timers.
#include "nodes.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>

#include <future>

namespace durable_test {
namespace {

class DurableTimers : public testing::Test {
 protected:
  memory data{4};
  journal book;
};

TEST_F(DurableTimers, RunOnceAtTheirTimeAndNeverBefore) {
  a_node node(data.connect(), book);
  node.on.start();
  const auto begin = now();
  for (int i = 0; i < 200; ++i)
    node.on.schedule_at(begin + i * 10ms, "write", bytes(std::to_string(i)), {.key = "k" + std::to_string(i)});
  ASSERT_TRUE(soon([&] { return book.size() == 200; })) << book.size();
  std::this_thread::sleep_for(20ms);
  for (const auto& line : book.lines()) {
    EXPECT_EQ(book.runs_of(line.key), 1) << line.key;
    EXPECT_GE(line.started, line.due) << line.key;
    EXPECT_EQ("k" + line.payload, line.key);
    EXPECT_EQ(line.attempt, 1u);
  }
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty(); })) << "ended in the store as well";
}

TEST_F(DurableTimers, KeepDeadlineOrderInAPartition) {
  a_node node(data.connect(), book);
  node.on.start();
  const auto begin = now() + 3s;
  for (int i = 0; i < 300; ++i) {
    const std::string key = "k" + std::to_string(i);
    node.on.schedule_at(begin + (i * 37 % 300) * 1ms, "write", {}, {.key = key, .partition = "book"});
  }
  ASSERT_TRUE(soon([&] { return book.size() == 300; }));
  EXPECT_TRUE(std::ranges::is_sorted(book.lines(), {}, &journal::line::due));
}

TEST_F(DurableTimers, RetryWithBackOffAndThenAreDeadAndLiveAgain) {
  std::atomic<int> dead{0};
  std::atomic<bool> heal{false};
  a_node node(data.connect(), book, {.on_dead = [&](const dead_timer& its) {
                EXPECT_EQ(its.key, "k");
                EXPECT_EQ(its.why, "no luck");
                EXPECT_EQ(its.attempts, 3u);
                ++dead;
              }});
  node.on.handle("fail",
                 [&](job& of) {
                   book.write(of);
                   if (heal) return outcome::done();
                   if (of.attempt() == 2) throw std::runtime_error("no luck");
                   return outcome::retry("no luck");
                 },
                 {.max_attempts = 3, .first_retry = 20ms});
  node.on.start();
  node.on.schedule_after(0s, "fail", bytes("x"), {.key = "k"});
  ASSERT_TRUE(soon([&] { return dead == 1; }));
  const auto lines = book.lines();
  ASSERT_EQ(lines.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(lines[i].attempt, i + 1);
  EXPECT_GE(lines[1].started - lines[0].started, 10ms);
  EXPECT_GE(lines[2].started - lines[1].started, 20ms);
  EXPECT_TRUE(node.on.list({}).empty());
  const auto buried = node.on.list({.handler = "fail", .dead = true});
  ASSERT_EQ(buried.size(), 1u);
  EXPECT_EQ(buried[0].why, "no luck");
  heal = true;
  EXPECT_EQ(node.on.revive({.key_prefix = "k"}), 1u);
  ASSERT_TRUE(soon([&] { return book.size() == 4; }));
  EXPECT_EQ(book.lines()[3].attempt, 1u);
  EXPECT_TRUE(soon([&] { return node.on.list({.dead = true}).empty() && node.on.list({}).empty(); }));
  EXPECT_EQ(node.on.metrics().dead, 1u);
  EXPECT_EQ(node.on.metrics().retries, 2u);
}

TEST_F(DurableTimers, RepeatOnAScheduleOneRunAtEachTime) {
  a_node node(data.connect(), book);
  node.on.declare("each second", detent::schedule::quartz("* * * ? * *"));
  node.on.start();
  node.on.schedule_on("each second", "write", {}, {.key = "tick"});
  ASSERT_TRUE(soon([&] { return book.size() >= 3; }));
  EXPECT_EQ(node.on.list({}).size(), 1u);
  const cancel_result its = cancelled(node.on, "tick");
  EXPECT_TRUE(its == cancel_result::cancelled || its == cancel_result::running) << "the third may not have returned";
  const auto lines = book.lines();
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i].due - lines[i - 1].due, 1s);
  EXPECT_THROW(node.on.schedule_on("no such", "write", {}), detent::error);
}

TEST_F(DurableTimers, OfOneKeyAreKeptReplacedOrRefused) {
  a_node node(data.connect(), book, {.horizon = 10s});
  std::promise<std::error_code> refused;
  node.on.start();
  node.on.schedule_after(1h, "write", bytes("first"), {.key = "k"});
  node.on.schedule_after(0s, "write", bytes("kept out"), {.key = "k"});
  node.on.schedule_after(
      0s, "write", bytes("refused"),
      {.key = "k", .conflict = on_conflict::fail, .on_stored = [&](std::error_code code) { refused.set_value(code); }});
  EXPECT_EQ(refused.get_future().get(), make_error_code(errc::exists));
  EXPECT_EQ(book.size(), 0u);
  node.on.schedule_after(2s, "write", bytes("second"), {.key = "k", .conflict = on_conflict::replace});
  node.on.schedule_after(2100ms, "write", bytes("third"), {.key = "k", .conflict = on_conflict::replace});
  ASSERT_TRUE(soon([&] { return book.size() == 1; }));
  std::this_thread::sleep_for(100ms);
  ASSERT_EQ(book.size(), 1u) << "what was in hand was taken back";
  EXPECT_EQ(book.lines()[0].payload, "third");
}

TEST_F(DurableTimers, CancelIsExactNearAndFar) {
  a_node node(data.connect(), book, {.horizon = 10s});
  std::atomic<bool> running{false}, go_on{false};
  node.on.handle("slow", [&](job& of) {
    running = true;
    soon([&] { return go_on.load(); });
    book.write(of);
    return outcome::retry();
  });
  node.on.start();
  node.on.schedule_after(1h, "write", {}, {.key = "far"});
  const auto near = now() + 3s;
  node.on.schedule_at(near, "write", {}, {.key = "near"});
  node.on.schedule_after(0s, "slow", {}, {.key = "now"});
  ASSERT_TRUE(soon([&] { return running.load() && node.on.metrics().in_hand == 2; }));
  EXPECT_EQ(cancelled(node.on, "far"), cancel_result::cancelled);
  EXPECT_EQ(cancelled(node.on, "near"), cancel_result::cancelled);
  EXPECT_EQ(cancelled(node.on, "now"), cancel_result::running);
  EXPECT_EQ(cancelled(node.on, "far"), cancel_result::gone);
  EXPECT_EQ(cancelled(node.on, "never"), cancel_result::gone);
  go_on = true;
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty(); })) << "it is not tried again";
  std::this_thread::sleep_until(near + 100ms);
  EXPECT_EQ(book.size(), 1u);
}

TEST_F(DurableTimers, CancelDuringARunTakesWhatReplacedItAsWell) {
  a_node node(data.connect(), book);
  std::atomic<bool> running{false}, go_on{false};
  node.on.handle("slow", [&](job& of) {
    running = true;
    soon([&] { return go_on.load(); });
    book.write(of);
    return outcome::done();
  });
  node.on.start();
  node.on.schedule_after(0s, "slow", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return running.load(); }));
  node.on.schedule_after(100ms, "write", {}, {.key = "k", .conflict = on_conflict::replace});
  EXPECT_EQ(cancelled(node.on, "k"), cancel_result::running);
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty(); }));
  go_on = true;
  ASSERT_TRUE(soon([&] { return book.size() == 1 && node.on.metrics().in_hand == 0; }));
  std::this_thread::sleep_for(150ms);
  EXPECT_EQ(book.size(), 1u);
}

TEST_F(DurableTimers, TheLongestRetryIsFarAway) {
  a_node node(data.connect(), book);
  node.on.handle("later", [&](job& of) {
    book.write(of);
    return outcome::retry_after(detent::duration::max());
  });
  node.on.start();
  node.on.schedule_after(0s, "later", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return node.on.metrics().retries != 0; }));
  const auto left = node.on.list({});
  ASSERT_EQ(left.size(), 1u);
  EXPECT_GT(left[0].due, now() + 24h * 365);
  EXPECT_EQ(book.size(), 1u);
}

TEST_F(DurableTimers, TenThousandCancelledBeyondTheReadLevelNeverRun) {
  a_node node(data.connect(), book);
  node.on.start();
  std::atomic<int> answered{0}, proven{0};
  const auto due = now() + 8s;
  for (int i = 0; i < 10'000; ++i) node.on.schedule_at(due, "write", {}, {.key = "k" + std::to_string(i)});
  for (int i = 0; i < 10'000; ++i)
    node.on.cancel("k" + std::to_string(i), [&](cancel_result result) {
      proven += result == cancel_result::cancelled;
      ++answered;
    });
  ASSERT_TRUE(soon([&] { return answered == 10'000; }));
  EXPECT_EQ(proven, 10'000);
  std::this_thread::sleep_until(due + 100ms);
  EXPECT_EQ(book.size(), 0u);
}

TEST_F(DurableTimers, RestartMovesTheSameTimer) {
  a_node node(data.connect(), book, {.horizon = 10s});
  node.on.start();
  node.on.schedule_after(1h, "write", bytes("body"), {.key = "far"});
  const auto near = now() + 3s;
  node.on.schedule_at(near, "write", {}, {.key = "near"});
  ASSERT_TRUE(soon([&] { return node.on.metrics().in_hand == 1; }));
  std::promise<std::error_code> moved, none;
  node.on.restart_at("near", now() + 1h, [&](std::error_code code) { moved.set_value(code); });
  node.on.restart_at("far", now());
  node.on.restart_at("never", now(), [&](std::error_code code) { none.set_value(code); });
  EXPECT_EQ(moved.get_future().get(), std::error_code());
  EXPECT_EQ(none.get_future().get(), make_error_code(errc::gone));
  ASSERT_TRUE(soon([&] { return book.size() == 1; }));
  EXPECT_EQ(book.lines()[0].payload, "body");
  std::this_thread::sleep_until(near + 100ms);
  EXPECT_EQ(book.size(), 1u);
  EXPECT_EQ(node.on.list({.key_prefix = "near"}).size(), 1u);
}

TEST_F(DurableTimers, EndLaterFromAnotherThread) {
  a_node node(data.connect(), book);
  std::vector<std::thread> others;
  node.on.handle("later",
                 [&](job& of) {
                   others.emplace_back([&, run = of.detach()]() mutable {
                     std::this_thread::sleep_for(20ms);
                     book.write(run.of());
                     if (run.of().attempt() == 1) return;  // dropped: a retry
                     run.end(outcome::done());
                   });
                   return outcome::dead("not asked");
                 },
                 {.first_retry = 10ms});
  node.on.start();
  node.on.schedule_after(0s, "later", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return book.size() == 2 && node.on.list({}).empty(); }));
  EXPECT_TRUE(node.on.list({.dead = true}).empty());
  for (std::thread& other : others) other.join();
}

TEST_F(DurableTimers, OfAHandlerThatIsNotKnownTakeNoRoom) {
  a_node node(data.connect(), book, {.read_ahead = 10});
  std::vector<std::string> unknown;
  for (int i = 0; i != 50; ++i) unknown.push_back(node.on.schedule_after(0s, "not here", {}));
  ASSERT_TRUE(node.on.flush(20s));
  node.on.schedule_after(1ms, "write", {}, {.key = "runs"});
  node.on.start();
  ASSERT_TRUE(soon([&] { return book.runs_of("runs") == 1; }));
  for (const std::string& key : unknown) {
    const cancel_result its = cancelled(node.on, std::string_view(key), 100ms);  // never gone: it is there
    EXPECT_TRUE(its == cancel_result::cancelled || its == cancel_result::unknown);
    if (its == cancel_result::unknown) break;
  }
}

TEST_F(DurableTimers, RefuseToWaitForTheirOwnCallback) {
  a_node node(data.connect(), book);
  std::atomic<int> refused{0};
  const auto refuses = [&](auto&& call) {
    try {
      call();
    } catch (const detent::error& why) {
      refused += why.code() == detent::errc::called_from_callback;
    }
  };
  node.on.schedule_after(1h, "write", {}, {.on_stored = [&](std::error_code) {
                           refuses([&] { node.on.list({}); });
                           refuses([&] { node.on.revive({}); });
                           refuses([&] { node.on.flush(20s); });
                         }});
  EXPECT_TRUE(soon([&] { return refused == 3; }));
}

TEST_F(DurableTimers, OfAHandlerThatIsNotKnownStay) {
  {
    a_node node(data.connect(), book);
    node.on.start();
    node.on.schedule_after(0s, "not here", {}, {.key = "stays", .partition = "p"});
    node.on.schedule_after(1ms, "write", {}, {.key = "runs", .partition = "p"});
    ASSERT_TRUE(soon([&] { return book.size() == 1; }));
    EXPECT_TRUE(node.reported->has(errc::unknown_handler));
    EXPECT_NE(node.reported->all().find("\"not here\": unknown here; \"stays\" stays"), std::string::npos)
        << node.reported->all();
    EXPECT_TRUE(soon([&] { return node.on.list({}).size() == 1; }));
    EXPECT_EQ(node.on.metrics().unhandled, 1u);
  }
  a_node other(data.connect(), book);
  other.on.handle("not here", [&](job& of) {
    book.write(of);
    return outcome::done();
  });
  other.on.start();
  ASSERT_TRUE(soon([&] { return book.runs_of("stays") == 1; }));
}

}  // namespace
}  // namespace durable_test
