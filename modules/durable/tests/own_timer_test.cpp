// SPDX-License-Identifier: MIT
// A timer that is asked about while it runs: by others, and by its own handler.
#include "nodes.hpp"

#include <gtest/gtest.h>

namespace durable_test {
namespace {

class TimerThatRuns : public testing::TestWithParam<bool> {
 protected:
  memory data{4};
  journal book;
  a_node node{data.connect(), book};
  a_node other{data.connect(), book};  // runs nothing
  std::atomic<int> begun{0}, go_on{0}, kept{0}, stored{0}, failed{0};

  timers& asks() { return GetParam() ? other.on : node.on; }
  void start(outcome end = outcome::done()) {
    node.on.handle("slow",
                   [this, end](job& of) {
                     book.write(of);
                     const int mine = ++begun;
                     soon([&] { return go_on >= mine; });
                     return of.attempt() == 1 && of.payload().size() == 3 ? end : outcome::done();
                   },
                   {.first_retry = 20ms});
    node.on.start();
    node.on.schedule_after(0s, "slow", bytes("old"), {.key = "k"});
    ASSERT_TRUE(soon([&] { return begun == 1; }));
  }
  void put(std::string_view payload, on_conflict how = on_conflict::keep) {
    asks().schedule_after(1ms, "slow", bytes(payload),
                          {.key = "k", .conflict = how, .on_stored = [this](const put_result& result) {
                             kept += result.what() == put_result::kind::kept;
                             stored += result.what() == put_result::kind::stored;
                             failed += static_cast<bool>(result);
                           }});
    ASSERT_TRUE(asks().flush(20s));
  }
  // Nothing is left to run, and nothing is there that a late reading could find.
  void expect_runs(const std::vector<std::string>& payloads) {
    ASSERT_TRUE(soon([&] { return book.size() >= payloads.size(); })) << book.size();
    ASSERT_TRUE(soon([&] { return other.on.list({}).empty() && node.on.metrics().in_hand == 0; }));
    std::vector<std::string> ran;
    for (const auto& line : book.lines()) ran.push_back(line.payload);
    EXPECT_EQ(ran, payloads);
  }
};
INSTANTIATE_TEST_SUITE_P(AskedByItsOwnNodeAndAnother, TimerThatRuns, testing::Bool());

TEST_P(TimerThatRuns, RunsOnceMoreForThoseThatAreKept) {
  start();
  put("first");
  put("second");
  EXPECT_EQ(kept, 2);
  go_on = 10;
  expect_runs({"old", "first"});
}

TEST_P(TimerThatRuns, IsRetriedBeforeTheOneThatIsKept) {
  start(outcome::retry("not yet"));
  put("first");
  go_on = 10;
  expect_runs({"old", "old", "first"});
  EXPECT_EQ(book.lines()[1].attempt, 2u);
}

TEST_P(TimerThatRuns, IsFollowedByTheKeptOneAlsoWhenItDies) {
  start(outcome::dead("no"));
  put("first");
  go_on = 10;
  expect_runs({"old", "first"});
}

TEST_P(TimerThatRuns, IsFollowedByTheOneThatReplacesTheKeptOne) {
  start();
  put("first");
  put("second", on_conflict::replace);
  go_on = 10;
  expect_runs({"old", "second"});
}

TEST_P(TimerThatRuns, IsCancelledWithTheKeptOneAndNotWithALaterOne) {
  start();
  put("first");
  std::atomic<int> answer{-1};
  asks().cancel(
      "k", [&](cancel_result its) { answer = static_cast<int>(its); }, 20s);
  ASSERT_TRUE(asks().flush(20s));
  put("second");
  go_on = 10;
  expect_runs({"old", "second"});
  ASSERT_TRUE(soon([&] { return answer != -1; }));  // the other node looks for it from time to time
  EXPECT_EQ(answer, static_cast<int>(cancel_result::running));
}

// It is near, so that the node has it in hand; but it has not begun.
TEST_P(TimerThatRuns, AndOneThatHasYetToStartDoesNotRunOnceMore) {
  start();
  asks().schedule_after(600ms, "slow", bytes("near"), {.key = "near"});
  ASSERT_TRUE(soon([&] { return node.on.metrics().in_hand == 2; }));
  asks().schedule_after(0s, "slow", bytes("kept"), {.key = "near"});
  ASSERT_TRUE(asks().flush(20s));
  go_on = 10;
  expect_runs({"old", "near"});
}

class OwnHandler : public testing::Test {
 protected:
  memory data{4};
  journal book;
  a_node node{data.connect(), book};
  std::atomic<int> stored{0}, answered{0};

  // Runs `ask` in each of the first nine runs, with work before or after it.
  void run(std::chrono::milliseconds before, std::chrono::milliseconds after, std::function<outcome(job&)> ask) {
    node.on.handle("self", [=, this](job& of) {
      book.write(of);
      const bool goes_on = book.size() < 10;
      std::this_thread::sleep_for(before);
      outcome how = goes_on ? ask(of) : outcome::done();
      std::this_thread::sleep_for(after);
      return how;
    });
    node.on.start();
    node.on.schedule_after(0s, "self", bytes("p"), {.key = "k", .partition = "of"});
    ASSERT_TRUE(soon([&] { return book.size() == 10; })) << book.size();
    ASSERT_TRUE(soon([&] { return node.on.list({}).empty() && node.on.metrics().in_hand == 0; }));
    EXPECT_EQ(book.size(), 10u);
    EXPECT_EQ(book.runs_of("k"), 10);
  }
};

TEST_F(OwnHandler, SchedulesItsKeyForAfterItsEnd) {
  run(0ms, 5ms, [this](job& of) {
    node.on.schedule_after(
        1ms, "self", bytes("p"),
        {.key = of.key(), .partition = of.partition(), .on_stored = [this](const put_result& result) {
           stored += result.what() == put_result::kind::stored;
         }});
    return outcome::done();
  });
  EXPECT_EQ(stored, 9);
}

TEST_F(OwnHandler, SchedulesItsKeyAtItsVeryEnd) {
  run(5ms, 0ms, [this](job& of) {
    node.on.schedule_after(1ms, "self", {}, {.key = of.key(), .partition = of.partition()});
    return outcome::done();
  });
}

TEST_F(OwnHandler, ReplacesItself) {
  run(0ms, 5ms, [this](job& of) {
    node.on.schedule_after(1ms, "self", {},
                           {.key = of.key(), .conflict = on_conflict::replace, .partition = of.partition()});
    return outcome::done();
  });
}

TEST_F(OwnHandler, RestartsItself) {
  run(0ms, 5ms, [this](job& of) {
    node.on.restart_at({of.key(), of.partition()}, now() + 1ms, [this](std::error_code code) { stored += !code; });
    return outcome::done();
  });
  EXPECT_EQ(stored, 9);
  EXPECT_EQ(book.lines().back().payload, "p");
}

TEST_F(OwnHandler, RunsAgainAtATimeWithTheSamePayloadOrANewOne) {
  run(0ms, 0ms, [](job& of) {
    if (of.payload().size() == 1) return outcome::again_after(1ms, bytes("longer"));
    return outcome::again_at(of.due() + 3ms);
  });
  const auto lines = book.lines();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].payload, "longer");
    EXPECT_EQ(lines[i].attempt, 1u);
    EXPECT_GE(lines[i].started, lines[i].due);
    if (i > 1) {
      EXPECT_EQ(lines[i].due, lines[i - 1].due + 3ms);
    }
  }
}

TEST_F(OwnHandler, RefusesAPayloadThatIsTooLargeWhereItIsMade) {
  const std::vector<std::byte> large(payload_limit + 1);
  EXPECT_THROW(outcome::again_after(1s, large), detent::error);
  EXPECT_THROW(outcome::again_at(now(), large), detent::error);
}

TEST_F(OwnHandler, CancelsWhatItHasScheduledForItself) {
  std::atomic<int> result{-1};
  node.on.handle("self", [&](job& of) {
    book.write(of);
    node.on.schedule_after(1ms, "self", {}, {.key = of.key()});
    node.on.cancel(
        of.key(), [&](cancel_result its) { result = static_cast<int>(its); }, 20s);
    return outcome::again_after(1ms);
  });
  node.on.start();
  node.on.schedule_after(0s, "self", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return result >= 0; }));
  EXPECT_EQ(result, static_cast<int>(cancel_result::cancelled));
  EXPECT_TRUE(soon([&] { return node.on.list({}).empty() && node.on.metrics().in_hand == 0; }));
  EXPECT_EQ(book.size(), 1u);
}

// The cancel's patience is shorter than the run and than a write that goes on, but counts from the end of the run.
TEST_F(OwnHandler, IsPatientWithACancelUntilItsEnd) {
  std::atomic<bool> writes{false}, ended{false};
  node.connection->before_batch = [&](std::span<const change> batch) {
    const auto* put = std::get_if<put_request>(&batch.front());
    if (put == nullptr || put->what.handler != "write") return;
    writes = true;
    soon([&] { return ended.load(); });
    std::this_thread::sleep_for(50ms);  // the end of the run arrives
  };
  node.on.handle("self", [&](job& of) {
    node.on.cancel(
        of.key(), [&](cancel_result its) { answered = its == cancel_result::cancelled ? 1 : -1; }, 300ms);
    node.on.schedule_after(1h, "write", {}, {.key = "other"});
    soon([&] { return writes.load(); });
    std::this_thread::sleep_for(500ms);
    ended = true;
    return outcome::again_after(1h);
  });
  node.on.start();
  node.on.schedule_after(0s, "self", {}, {.key = "k"});
  ASSERT_TRUE(soon([&] { return answered != 0; }));
  EXPECT_EQ(answered, 1);
  EXPECT_TRUE(node.on.list({.handler = "self"}).empty());
}

TEST_F(OwnHandler, OfARecurringTimerRunsItOnceMoreBeforeItsNextTime) {
  node.on.handle("self", [&](job& of) {
    book.write(of);
    return book.size() == 1 ? outcome::again_after(1ms, bytes("more")) : outcome::done();
  });
  node.on.declare("yearly", detent::schedule::quartz("0 0 0 1 1 ?"));
  node.on.start();
  node.on.schedule_on("yearly", "self", bytes("p"), {.key = "k"});
  node.on.restart_at("k", now());
  ASSERT_TRUE(soon([&] { return book.size() == 2; }));
  ASSERT_TRUE(soon([&] { return node.on.metrics().in_hand == 0; }));
  EXPECT_EQ(book.lines()[1].payload, "more");
  const auto left = node.on.list({});
  ASSERT_EQ(left.size(), 1u);
  EXPECT_GT(left[0].due, now() + 1s);
  EXPECT_EQ(left[0].due, *detent::schedule::quartz("0 0 0 1 1 ?").next(now()));
}

}  // namespace
}  // namespace durable_test
