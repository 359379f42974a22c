// SPDX-License-Identifier: MIT
#include <detent/recipes/rate_limiter.hpp>

#include "virtual_time.hpp"

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

TEST_F(RecipesRateLimiter, ReservesNothingThatWouldComeTooLate) {
  rate_limiter limiter(engine_, {.permits = 100, .per = 1s});
  EXPECT_TRUE(limiter.try_acquire());
  EXPECT_FALSE(limiter.acquire(log(), deadline::after(engine_, 10ms)));
  EXPECT_EQ(limiter.reserve(deadline::after(engine_, 11ms)), time_point(10ms));
  EXPECT_EQ(limiter.reserve(), time_point(20ms));
}

}  // namespace
}  // namespace detent::recipes::testing
