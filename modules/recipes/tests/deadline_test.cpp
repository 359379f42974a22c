// SPDX-License-Identifier: MIT
#include <detent/recipes/deadline.hpp>

#include "virtual_time.hpp"

namespace detent::recipes::testing {
namespace {

using RecipesDeadline = Recipes;

TEST_F(RecipesDeadline, ExpiresAtItsInstant) {
  const deadline d = deadline::after(engine_, 5ms);
  run_until(4);
  EXPECT_EQ(d.remaining(engine_), 1ms);
  EXPECT_FALSE(d.expired(engine_));
  run_until(5);
  EXPECT_TRUE(d.expired(engine_));
  run_until(9);
  EXPECT_EQ(d.remaining(engine_), 0ms);
}

TEST_F(RecipesDeadline, GivesACalleeNoMoreThanIsLeft) {
  const deadline d = deadline::after(engine_, 5ms);
  EXPECT_EQ(d.within(engine_, 2ms), deadline::after(engine_, 2ms));
  EXPECT_EQ(d.within(engine_, 8ms), d);
  EXPECT_EQ(std::min(d, deadline::never()), d);
  EXPECT_EQ(deadline::never().within(engine_, 8ms).when(), time_point(8ms));
}

TEST_F(RecipesDeadline, Saturates) {
  run_until(1);
  EXPECT_TRUE(deadline::after(engine_, duration::max()).is_never());
  EXPECT_TRUE(deadline::after(engine_, std::chrono::hours::max()).is_never());
  EXPECT_TRUE(deadline::never().within(engine_, std::chrono::hours::max()).is_never());
  EXPECT_FALSE(deadline::never().expired(engine_));
  EXPECT_EQ(deadline().remaining(engine_), duration::max());
  EXPECT_TRUE(deadline::after(engine_, duration::min()).expired(engine_));
  EXPECT_EQ(deadline::at(time_point::min()).remaining(engine_), 0ms);
}

}  // namespace
}  // namespace detent::recipes::testing
