// SPDX-License-Identifier: MIT
#include <detent/recipes/backoff.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace detent::recipes::testing {
namespace {

using namespace std::chrono_literals;

TEST(RecipesBackoff, DoublesUpToTheLongest) {
  backoff pauses({.first = 10ms, .longest = 35ms, .kind = jitter::none}, 1);
  EXPECT_EQ(pauses.next(), 10ms);
  EXPECT_EQ(pauses.next(), 20ms);
  EXPECT_EQ(pauses.next(), 35ms);
  EXPECT_EQ(pauses.next(), 35ms);
  pauses.reset();
  EXPECT_EQ(pauses.next(), 10ms);
}

TEST(RecipesBackoff, DrawsFromTheRangeOfItsJitter) {
  duration least = 10ms, most = 5ms;  // for equal jitter
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    backoff full({.first = 10ms, .longest = 20ms, .kind = jitter::full}, seed);
    EXPECT_LE(full.next(), 10ms);
    EXPECT_LE(full.next(), 20ms);
    backoff equal({.first = 10ms, .longest = 20ms, .kind = jitter::equal}, seed);
    const duration first = equal.next();
    EXPECT_TRUE(first >= 5ms && first <= 10ms);
    least = std::min(least, first);
    most = std::max(most, first);
    backoff walk({.first = 10ms, .longest = 500ms, .kind = jitter::decorrelated}, seed);
    duration last = 10ms;
    for (int i = 0; i < 8; ++i) {
      const duration next = walk.next();
      EXPECT_TRUE(next >= 10ms && next <= 500ms && next <= 3 * last) << seed;
      last = next;
    }
  }
  EXPECT_LT(least, 6ms);
  EXPECT_GT(most, 9ms);
}

TEST(RecipesBackoff, RepeatsItselfWithItsSeedOnly) {
  backoff a({}, 7), b({}, 7), other({}, 8);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), other.next());
}

TEST(RecipesBackoff, ClampsWhatIsOutOfRange) {
  backoff negative({.first = -5ms, .longest = -1ms, .factor = -2}, 1);
  EXPECT_EQ(negative.next(), 0ms);
  backoff huge({.first = duration::max(), .longest = duration::max(), .kind = jitter::none}, 1);
  EXPECT_EQ(huge.next(), duration::max());
  EXPECT_EQ(huge.next(), duration::max());
}

TEST(RecipesBackoff, AnInfiniteFactorMakesNoNegativePause) {
  for (const double factor : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    backoff pauses({.first = 0ns, .longest = 1s, .factor = factor, .kind = jitter::none}, 1);
    pauses.next();
    EXPECT_EQ(pauses.next(), duration(0));
  }
}

}  // namespace
}  // namespace detent::recipes::testing
