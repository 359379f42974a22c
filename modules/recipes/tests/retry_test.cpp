// SPDX-License-Identifier: MIT
#include <detent/recipes/retry.hpp>

#include "virtual_time.hpp"

#include <exception>
#include <optional>

namespace detent::recipes::testing {
namespace {

constexpr backoff_policy pauses{.first = 10ms, .kind = jitter::none};

class RecipesRetry : public Recipes {
 protected:
  // Logs the attempts; those from number `good` on succeed.
  auto operation(int good) {
    return [this, good](const retry_attempt& attempt) {
      at_.push_back(now());
      attempt(attempt.number() >= good);
    };
  }
  auto finished() {
    return [this](retry_result result) { result_ = result; };
  }
  std::optional<retry_result> result_;
};

TEST_F(RecipesRetry, TriesUntilOneSucceeds) {
  retry call(engine_, {.pauses = pauses}, operation(3), finished());
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{0, 10, 30}));
  EXPECT_EQ(result_, retry_result::succeeded);
  EXPECT_FALSE(call.cancel());
}

TEST_F(RecipesRetry, UsesUpItsAttempts) {
  retry call(engine_, {.attempts = 2, .pauses = pauses}, operation(9), finished());
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{0, 10}));
  EXPECT_EQ(result_, retry_result::attempts_used_up);
}

TEST_F(RecipesRetry, DoesNotPauseUntilItsDeadline) {
  retry call(engine_, {.until = deadline::after(engine_, 30ms), .pauses = pauses}, operation(9), finished());
  run_until(10);
  EXPECT_EQ(result_, retry_result::deadline_passed);
}

TEST_F(RecipesRetry, EndsAnAttemptAtItsTimeoutAndIgnoresItsLateAnswer) {
  std::vector<retry_attempt> open;
  retry call(
      engine_, {.attempts = 2, .timeout = 5ms, .pauses = pauses},
      [&](const retry_attempt& attempt) {
        EXPECT_EQ(attempt.until(), deadline::after(engine_, 5ms));
        open.push_back(attempt);
      },
      finished());
  run_until(15);
  ASSERT_EQ(open.size(), 2u);
  open[0](true);
  EXPECT_FALSE(result_);
  run_until(20);
  EXPECT_EQ(result_, retry_result::attempts_used_up);
}

TEST_F(RecipesRetry, CancelledCallsNobody) {
  retry call(engine_, {.pauses = pauses}, operation(9), finished());
  run_until(5);
  EXPECT_TRUE(call.cancel());
  run_until(100);
  EXPECT_EQ(at_, milliseconds{0});
  EXPECT_FALSE(result_);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(RecipesRetry, SaysThatTheEngineRefuses) {
  std::optional<retry_attempt> open;
  retry call(
      engine_, {.pauses = pauses}, [&](const retry_attempt& attempt) { open = attempt; }, finished());
  engine_.poll();
  engine_.stop();
  (*open)(false);
  EXPECT_EQ(result_, retry_result::refused);
}

TEST_F(RecipesRetry, HandsOnWhatItsFunctionsThrow) {
  int reported = 0;
  engine noisy({.manual = &clock_, .on_error = [&](std::exception_ptr) { ++reported; }});
  retry call(
      noisy, {.attempts = 1, .pauses = pauses}, [](const retry_attempt&) { throw 1; }, [](retry_result) { throw 2; });
  noisy.poll();
  EXPECT_EQ(reported, 1);
}

}  // namespace
}  // namespace detent::recipes::testing
