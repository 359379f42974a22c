// SPDX-License-Identifier: MIT
// Retries in virtual time: each attempt comes at its very nanosecond.
#include "retry.hpp"

#include "detent_timers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

namespace rpc {
namespace {

using namespace std::chrono_literals;
using detent::time_point;

constexpr std::uint64_t seed = 42;
constexpr detent::recipes::backoff_policy pauses{.first = 10ms, .longest = 80ms};

class rpc_retry : public testing::Test {
 protected:
  // Returns the result of a call whose attempts do what `attempt` says. `attempts` gets the time of each.
  template <class Attempt>
  call_result call(const retry_policy& policy, token_budget& budget, Attempt attempt) {
    std::optional<call_result> result;
    const auto noted = [&](time_point limit) {
      attempts.push_back(timers.now());
      return attempt(limit);
    };
    const auto body = [&]() -> awaitable<void> {
      result = co_await with_retries(timers, policy, detent::recipes::backoff(pauses, seed), budget, noted);
    };
    start(io.get_executor(), body());
    drive();
    EXPECT_TRUE(result.has_value());
    return result.value_or(call_result::answered);
  }

  awaitable<attempt_result> fail() { co_return attempt_result::disconnected; }
  awaitable<attempt_result> time_out(time_point limit) {
    co_await timers.sleep(limit - timers.now());
    co_return attempt_result::timed_out;
  }

  asio::io_context io;
  detent::manual_clock clock{time_point(1h)};
  detent_timers timers{io, {.manual = &clock}};
  std::vector<time_point> attempts;

 private:
  // Moves time from one deadline to the next; a nanosecond before each, nothing happens.
  void drive() {
    for (;;) {
      io.restart();
      io.poll();
      const std::optional<time_point> next = timers.engine().next_deadline();
      if (!next) return;
      clock.advance_to(*next - 1ns);
      EXPECT_EQ(timers.engine().poll(), 0u);
      EXPECT_EQ(io.poll(), 0u);
      clock.advance_to(*next);
      timers.engine().poll();
    }
  }
};

TEST_F(rpc_retry, AttemptsComeExactlyWhenTheirPausesEnd) {
  token_budget budget(0, 100);
  const time_point begin = timers.now();
  EXPECT_EQ(call({.timeout = 1s, .deadline = 1h, .attempts = 8}, budget, [&](time_point) { return fail(); }),
            call_result::attempts_used_up);

  detent::recipes::backoff expected(pauses, seed);
  time_point due = begin;
  ASSERT_EQ(attempts.size(), 8u);
  for (const time_point attempt : attempts) {
    EXPECT_EQ(attempt, due);
    due += expected.next();
  }
  EXPECT_EQ(budget.taken(), 7u);
}

TEST_F(rpc_retry, StopsAtTheFirstAnswer) {
  token_budget budget(0, 100);
  const auto third = [&](time_point) -> awaitable<attempt_result> {
    co_return attempts.size() == 3 ? attempt_result::answered : attempt_result::disconnected;
  };
  EXPECT_EQ(call({.timeout = 1s, .deadline = 1h, .attempts = 8}, budget, third), call_result::answered);
  EXPECT_EQ(attempts.size(), 3u);
}

TEST_F(rpc_retry, NoAttemptOutlivesTheDeadlineOfTheCall) {
  token_budget budget(0, 100);
  const time_point begin = timers.now();
  std::vector<time_point> limits;
  const auto hang = [&](time_point limit) {
    limits.push_back(limit);
    return time_out(limit);
  };
  EXPECT_EQ(call({.timeout = 300ms, .deadline = 1s, .attempts = 100}, budget, hang), call_result::deadline_exceeded);
  EXPECT_EQ(limits.front(), begin + 300ms);
  EXPECT_EQ(limits.back(), begin + 1s);
  EXPECT_EQ(timers.now(), begin + 1s);
  EXPECT_EQ(timers.ledger().early, 0u);
}

TEST_F(rpc_retry, DoesNotStartAPauseThatWouldEndAfterTheDeadline) {
  token_budget budget(0, 100);
  const time_point begin = timers.now();
  EXPECT_EQ(call({.timeout = 1s, .deadline = 100ms, .attempts = 100}, budget, [&](time_point) { return fail(); }),
            call_result::deadline_exceeded);
  EXPECT_LT(timers.now(), begin + 100ms);
  EXPECT_GT(attempts.size(), 2u);
}

TEST_F(rpc_retry, GivesUpAtOnceWhenTheBudgetIsUsedUp) {
  token_budget budget(0, 2);
  EXPECT_EQ(call({.timeout = 1s, .deadline = 1h, .attempts = 8}, budget, [&](time_point) { return fail(); }),
            call_result::budget_used_up);
  EXPECT_EQ(attempts.size(), 3u);
  EXPECT_EQ(timers.now(), attempts.back());
  EXPECT_EQ(timers.engine().pending(), 0u);
}

}  // namespace
}  // namespace rpc
