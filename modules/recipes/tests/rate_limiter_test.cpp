// SPDX-License-Identifier: MIT
#include <detent/recipes/rate_limiter.hpp>

#include "support/drive_problem.hpp"
#include "virtual_time.hpp"

#include <cstdint>
#include <functional>

namespace detent::recipes::testing {
namespace {

using RecipesRateLimiter = Recipes;

TEST_F(RecipesRateLimiter, GivesABurstAndThenTheRate) {
  rate_limiter limiter(engine_, {.permits = 100, .per = 1s, .burst = 3});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.try_acquire());
  EXPECT_FALSE(limiter.try_acquire());
  run_until(9);
  EXPECT_FALSE(limiter.try_acquire());
  run_until(10);
  EXPECT_TRUE(limiter.try_acquire());
  EXPECT_FALSE(limiter.try_acquire());
  run_until(1000);
  EXPECT_TRUE(limiter.try_acquire(3));
  EXPECT_FALSE(limiter.try_acquire());
}

TEST_F(RecipesRateLimiter, CallsThoseThatWaitInTheirOrder) {
  rate_limiter limiter(engine_, {.permits = 100, .per = 1s, .burst = 2});
  std::vector<int> order;
  for (int i = 0; i < 4; ++i)
    limiter.acquire([this, &order, i] {
      at_.push_back(now());
      order.push_back(i);
    });
  EXPECT_FALSE(limiter.try_acquire());
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{0, 0, 10, 20}));
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST_F(RecipesRateLimiter, NeverFailsOpen) {
  rate_limiter quota(engine_, {.permits = 1, .per = 24h, .burst = 200'000});
  int given = 0;
  while (given < 300'000 && quota.try_acquire()) ++given;
  EXPECT_EQ(given, 200'000);
  rate_limiter slow(engine_, {.permits = 1, .per = 1h});
  EXPECT_FALSE(slow.reserve(deadline::never(), 3'000'000));  // in 342 years
  EXPECT_EQ(slow.reserve(), time_point(0h));
  EXPECT_EQ(slow.reserve(), time_point(1h));
  rate_limiter slowest(engine_, {.permits = 1, .per = (duration::max)(), .burst = UINT32_MAX});
  EXPECT_TRUE(slowest.try_acquire(UINT32_MAX));
  EXPECT_FALSE(slowest.try_acquire());
  EXPECT_FALSE(slowest.reserve());
}

TEST_F(RecipesRateLimiter, RefusesAtTheEndOfTimeWhatCannotBeCounted) {
  clock_.advance_to(time_point(duration(INT64_MAX - 10)));
  rate_limiter limiter(engine_, {.permits = 1, .per = 1ns, .burst = 4});
  EXPECT_TRUE(limiter.try_acquire(4));
  EXPECT_EQ(limiter.reserve({}, 5), time_point(duration(INT64_MAX - 5)));
  EXPECT_FALSE(limiter.reserve());
  EXPECT_FALSE(limiter.reserve({}, UINT32_MAX));
  limiter.set_rate({.permits = 1, .per = 24h, .burst = 1'000'000});
  EXPECT_FALSE(limiter.try_acquire());
}

TEST_F(RecipesRateLimiter, CountsExactlyFromTheBeginningOfTimeOn) {
  manual_clock from_the_least{time_point((duration::min)())};
  engine early({.manual = &from_the_least});
  rate_limiter limiter(early, {.permits = 1, .per = (duration::max)(), .burst = 1});
  EXPECT_TRUE(limiter.try_acquire());
  EXPECT_FALSE(limiter.reserve(deadline::at(time_point((duration::min)()))));
  // A permit takes more than 73 years, so it is counted in units of 4 ns, and an interval is rounded up to these.
  EXPECT_EQ(limiter.reserve(), time_point(duration(0)));
  EXPECT_FALSE(limiter.reserve({}, 2));
}

TEST_F(RecipesRateLimiter, TakesBackWhatWasNotUsedUpToAFullBucket) {
  rate_limiter limiter(engine_, {.permits = 100, .per = 1s, .burst = 2});
  EXPECT_TRUE(limiter.try_acquire(2));
  limiter.give_back();
  EXPECT_TRUE(limiter.try_acquire());
  EXPECT_FALSE(limiter.try_acquire());
  limiter.give_back(100);
  EXPECT_FALSE(limiter.try_acquire(3));
  EXPECT_TRUE(limiter.try_acquire(2));
}

TEST_F(RecipesRateLimiter, BorrowsWhatLaterCallersWaitFor) {
  rate_limiter limiter(engine_, {.permits = 100, .per = 1s, .burst = 2, .borrow = 3});
  EXPECT_EQ(limiter.borrow(4), duration(20ms));
  EXPECT_EQ(limiter.borrow(), duration(30ms));
  EXPECT_FALSE(limiter.borrow());
  EXPECT_EQ(limiter.reserve(), time_point(40ms));
  run_until(40);
  EXPECT_EQ(limiter.borrow(), duration(10ms));
}

TEST_F(RecipesRateLimiter, KeepsItsPermitsAtANewRate) {
  rate_limiter limiter(engine_, {.permits = 100, .per = 1s, .burst = 10});
  EXPECT_TRUE(limiter.try_acquire(6));
  limiter.set_rate({.permits = 10, .per = 1s, .burst = 20});
  EXPECT_FALSE(limiter.try_acquire(5));
  EXPECT_TRUE(limiter.try_acquire(4));
  run_until(100);
  EXPECT_TRUE(limiter.try_acquire());
  EXPECT_FALSE(limiter.try_acquire());
  run_until(1100);
  limiter.set_rate({.permits = 1, .per = 1s, .burst = 3});
  EXPECT_TRUE(limiter.try_acquire(3));
  EXPECT_FALSE(limiter.try_acquire());
}

TEST_F(RecipesRateLimiter, GivesBackThePermitsOfATimerThatIsRefused) {
  engine small({.manual = &clock_, .max_pending = 1});
  rate_limiter limiter(small, {.permits = 100, .per = 1s});
  const timer only = small.schedule_after(1h, [] {});
  EXPECT_THROW(limiter.acquire([] {}), error);
  EXPECT_TRUE(only.pending());
  EXPECT_TRUE(limiter.try_acquire());
}

TEST_F(RecipesRateLimiter, RefusesWhatCannotBeARate) {
  const auto why = [this](const rate& allowed) {
    return drive::problem_of([&] { rate_limiter limiter(engine_, allowed); });
  };
  EXPECT_TRUE(why({.permits = 0}).names("rate_limiter: permits = 0: must be at least 1"));
  EXPECT_TRUE(why({.burst = 0}).names("rate_limiter: burst = 0: must be at least 1"));
  rate_limiter limiter(engine_, {.permits = 5, .per = duration(-1)});  // one permit per nanosecond
  EXPECT_EQ(drive::problem_of([&] { limiter.set_rate({.permits = 0}); }).code, errc::invalid_option);
  EXPECT_EQ(drive::problem_of([&] { limiter.acquire(std::function<void()>()); }).code, errc::invalid_option);
  EXPECT_TRUE(limiter.try_acquire());
}

TEST_F(RecipesRateLimiter, ReservesNothingThatWouldComeTooLate) {
  rate_limiter limiter(engine_, {.permits = 100, .per = 1s});
  EXPECT_TRUE(limiter.try_acquire());
  EXPECT_FALSE(limiter.acquire(log(), deadline::after(engine_, 10ms)));
  EXPECT_EQ(limiter.reserve(deadline::after(engine_, 11ms)), time_point(10ms));
  EXPECT_EQ(limiter.reserve(), time_point(20ms));
}

}  // namespace
}  // namespace detent::recipes::testing
