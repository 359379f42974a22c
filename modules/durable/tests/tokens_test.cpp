// SPDX-License-Identifier: MIT
// Tests timers that end in their handlers' own transactions, in virtual time.
#include "../src/stores/attempts.hpp"
#include "conformance.hpp"
#include "tokens_bed.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace durable_test {
namespace {

const std::vector<std::pair<const char*, std::function<outcome()>>> all_outcomes = {
    {"done", [] { return outcome::done(); }},
    {"retry", [] { return outcome::retry("no"); }},
    {"again", [] { return outcome::again_after(1s); }},
    {"dead", [] { return outcome::dead("no"); }},
    {"thrown", []() -> outcome { throw std::runtime_error("no"); }}};

TEST_F(Tokens, ATimerThatATransactionHasEndedIsOverWhateverItsHandlerReturns) {
  for (const auto& [name, its_end] : all_outcomes) {
    ran.clear();
    start_with([&, end = its_end](job& of) {
      EXPECT_TRUE(finish(of));
      return end();
    });
    pass(1h);
    EXPECT_EQ(ran.size(), 1u) << name;
    EXPECT_EQ(left(), 0u) << name;
    EXPECT_TRUE(on->list({.dead = true}).empty()) << name;
    const metrics its = on->metrics();
    EXPECT_EQ(its.runs, 1u) << name;
    EXPECT_EQ(its.retries + its.dead + its.fenced + its.in_hand + its.ends, 0u) << name;
  }
  EXPECT_TRUE(died.empty());
}

TEST_F(Tokens, ATimerThatNoTransactionHasEndedIsARetryAlsoAfterDone) {
  for (const bool by_token : {false, true}) {
    ran.clear();
    start_with([&](job& of) {
      pg_conn in{rows};
      EXPECT_TRUE(by_token ? in.finish(of.token()) : of.finish_in(&in));
      if (of.attempt() == 3) in.commit();
      return of.attempt() == 1 ? outcome::done() : outcome::again_after(24h);
    });
    pass(1h);
    EXPECT_EQ(ran, (std::vector<std::uint32_t>{1, 2, 3})) << by_token;
    EXPECT_EQ(left(), 0u);
    EXPECT_EQ(on->metrics().retries, 2u);
  }
}

TEST_F(Tokens, ARetryKeepsTheDelayThatItsHandlerAsksFor) {
  std::vector<wall_time> at;
  start_with([&](job& of) {
    at.push_back(new_year + clock.now().time_since_epoch());
    return of.token().empty() ? outcome::done() : outcome::retry_after(10min);
  });
  pass(15min);
  ASSERT_EQ(at.size(), 2u);
  EXPECT_EQ(at[1] - at[0], 10min);
}

TEST_F(Tokens, ATimerThatNoTransactionEndsIsDeadAfterItsAttempts) {
  start_with([](job& of) {
    of.token();
    return outcome::done();
  });
  pass(1h);
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(died, (std::vector<std::string>{"no transaction has ended it"}));
  EXPECT_EQ(left(), 0u);
}

TEST_F(Tokens, AHandlerMayStillSayDead) {
  start_with([](job& of) {
    of.token();
    return outcome::dead("no");
  });
  pass(1h);
  EXPECT_EQ(ran.size(), 1u);
  EXPECT_EQ(died, (std::vector<std::string>{"no"}));
}

TEST_F(Tokens, ATransactionThatGoesOnAfterTheRunDecidesWhenItEnds) {
  for (const bool commits : {true, false}) {
    ran.clear();
    start_with([&](job& of) {
      EXPECT_TRUE(of.attempt() == 1 ? of.finish_in(&open) : finish(of));
      return outcome::done();
    });
    pass(1h);
    EXPECT_EQ(ran.size(), 1u);
    EXPECT_EQ(on->metrics().ends, 1u);
    EXPECT_EQ(on->metrics().retries, 0u);
    commits ? open.commit() : open.roll_back();
    pass(1h);
    EXPECT_EQ(ran.size(), commits ? 1u : 2u);
    EXPECT_EQ(on->metrics().retries, commits ? 0u : 1u);
    EXPECT_EQ(left(), 0u);
  }
}

TEST_F(Tokens, ARecurringTimerGoesToItsNextTimeWithTheTransaction) {
  std::vector<wall_time> due;
  start([&](job& of) {
    due.push_back(of.due());
    pg_conn in{rows};
    EXPECT_TRUE(of.finish_in(&in));
    if (due.size() != 3) in.commit();  // else it is retried, and goes on
    return due.size() % 2 == 0 ? outcome::done() : outcome::dead("no matter");
  });
  on->schedule_on("hourly", "h", {}, {.key = "k"});
  pass(2h);
  EXPECT_EQ(due, (std::vector<wall_time>{new_year + 1h, new_year + 2h}));
  EXPECT_EQ(on->metrics().retries, 0u);
  pass(1h);
  EXPECT_EQ(due.size(), 3u);
  EXPECT_EQ(died, (std::vector<std::string>{"no matter"})) << "its transaction was rolled back";
}

TEST_F(Tokens, ARecurringTimerWhoseTransactionRollsBackIsRetriedAndRepeats) {
  start([&](job& of) {
    pg_conn in{rows};
    EXPECT_TRUE(of.finish_in(&in));
    if (ran.size() != 1) in.commit();
    return outcome::done();
  });
  on->schedule_on("hourly", "h", {}, {.key = "k"});
  pass(3h);
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{1, 2, 1, 1}));
  EXPECT_EQ(left(), 1u);
}

TEST_F(Tokens, ADetachedRunHasTokensUntilItsEnd) {
  std::vector<job::later> waiting;
  start_with([&](job& of) {
    waiting.push_back(of.detach());
    return outcome::done();
  });
  pass(1s);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_TRUE(finish(waiting[0].of()));
  waiting[0].end(outcome::retry("no"));
  pass(1h);
  EXPECT_EQ(ran.size(), 1u);
  EXPECT_EQ(on->metrics().retries, 0u);

  int refused = 0;
  start_with([&](job& of) {
    of.detach().end(outcome::done());
    try {
      of.token();
    } catch (const detent::error& problem) {
      refused += problem.code() == detent::errc::not_permitted;
    }
    return outcome::done();
  });
  pass(1h);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(left(), 0u) << "it has ended as done";
}

TEST_F(Tokens, WhatTheHandlerAsksAboutItsOwnTimerComesWithTheEnd) {
  int answers = 0;
  std::error_code moved;
  start_with([&](job& of) {
    const bool first = ran.size() == 1;
    EXPECT_TRUE(finish(of));
    if (first) on->restart_at(of.key(), new_year + 2h, [&](std::error_code its) { moved = its; });
    if (first) on->cancel(of.key(), [&](cancel_result its) { answers += its == cancel_result::gone; });
    if (first) on->schedule_after(1h, "h", {}, {.key = of.key()});
    return outcome::done();
  });
  pass(1min);
  EXPECT_EQ(moved, errc::gone);
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(left(), 1u);
  pass(2h);
  EXPECT_EQ(ran.size(), 2u);
  EXPECT_EQ(left(), 0u);
}

TEST_F(Tokens, ARestartMovesATimerWhoseTransactionIsRolledBack) {
  start_with([&](job& of) {
    if (ran.size() == 2) return finish(of) ? outcome::done() : outcome::dead("no");
    of.token();
    on->restart_at(of.key(), new_year + 2h);
    return outcome::dead("no");
  });
  pass(1h);
  EXPECT_EQ(ran.size(), 1u);
  pass(1h);
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_TRUE(died.empty());
}

TEST_F(Tokens, ASuccessorRunsAfterATimerThatATransactionHasEnded) {
  start_with([&](job& of) {
    if (ran.size() == 1) {
      const record keep{.key = stored_key("k"), .id = 7, .due = stored_at(0s), .handler = "h"};
      EXPECT_EQ(asker{*rows.rows}.put(keep), change_status::kept);
    }
    EXPECT_TRUE(finish(of));
    return outcome::done();
  });
  pass(1h);
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(left(), 0u);
}

TEST_F(Tokens, AConnectionThatFailsThrowsWhatTheStoreSays) {
  std::string said;
  start_with([&](job& of) {
    pg_conn in{rows};
    in.broken = of.attempt() == 1;
    try {
      EXPECT_TRUE(of.finish_in(&in));
      in.commit();
    } catch (const detent::error& problem) {
      EXPECT_EQ(problem.code(), errc::unavailable);
      said = problem.what();
    }
    return outcome::done();
  });
  pass(1h);
  EXPECT_NE(said.find("memory: the server closed the connection"), std::string::npos) << said;
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{1, 2})) << "it may have ended the timer, or not";
}

TEST_F(Tokens, AStoreWithoutTokensSaysSoAndTheRunGoesOn) {
  int refused = 0;
  timers plain(engine, data.connect(), {.time = time});
  plain.handle("h", [&](job& of) {
    const auto refuses = [&](auto&& call) {
      try {
        call();
      } catch (const detent::error& problem) {
        refused +=
            problem.code() == errc::unsupported && std::string(problem.what()).find("memory") != std::string::npos;
      }
    };
    refuses([&] { of.token(); });
    refuses([&] { of.finish_in(nullptr); });
    return outcome::done();
  });
  plain.start();
  plain.schedule_after(1s, "h", {});
  pass(1h);
  EXPECT_EQ(refused, 2);
  EXPECT_TRUE(plain.list({}).empty());
  EXPECT_EQ(plain.metrics().retries, 0u);
}

// It bears a mark, as if it had ended a process.
TEST_F(Tokens, ASuspectThatATransactionHasEndedIsOver) {
  std::vector<job::later> waiting;
  start([&](job& of) {
    waiting.push_back(of.detach());
    return outcome::done();
  });
  const detail::attempts suspect{.number = 1, .lost = 1, .marks = 1};
  asker{*rows.rows}.put(
      {.key = stored_key("k"), .id = 7, .due = stored_at(1s), .attempt = suspect.stored(), .handler = "h"});
  pass(30s);  // it outlives its trial, which is marked
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_TRUE(finish(waiting[0].of()));
  waiting[0].end(outcome::done());
  pass(1h);
  EXPECT_EQ(ran, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(left(), 0u);
  EXPECT_EQ(on->metrics().retries + on->metrics().dead + on->metrics().in_hand, 0u);
}

}  // namespace
}  // namespace durable_test
