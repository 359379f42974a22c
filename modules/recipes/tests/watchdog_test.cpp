// SPDX-License-Identifier: MIT
#include <detent/recipes/watchdog.hpp>

#include "virtual_time.hpp"

#include <memory>
#include <optional>

namespace detent::recipes::testing {
namespace {

using RecipesWatchdog = Recipes;

TEST_F(RecipesWatchdog, BarksOnceWhenItIsNotFed) {
  watchdog dog(engine_, 10ms, log());
  run_until(6);
  EXPECT_TRUE(dog.feed());
  run_until(15);
  EXPECT_TRUE(at_.empty());
  run_until(50);
  EXPECT_EQ(at_, milliseconds{16});
  EXPECT_FALSE(dog.feed());
  dog.start();
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{16, 60}));
}

TEST_F(RecipesWatchdog, OfTheLongestTimeNeverBarks) {
  watchdog dog(engine_, std::chrono::hours::max(), log());
  run_until(50);
  EXPECT_TRUE(dog.feed());
  EXPECT_TRUE(at_.empty());
}

TEST_F(RecipesWatchdog, IsQuietWhileItIsStopped) {
  watchdog dog(engine_, 10ms, log());
  dog.stop();
  EXPECT_FALSE(dog.feed());
  EXPECT_EQ(engine_.pending(), 0u);
  run_until(50);
  EXPECT_TRUE(at_.empty());
}

TEST_F(RecipesWatchdog, MayBeStartedFedAndDestroyedByItsBark) {
  std::optional<watchdog<>> dog;
  dog.emplace(engine_, 10ms, [&] {
    at_.push_back(now());
    EXPECT_FALSE(dog->feed());
    if (at_.size() < 2) return dog->start();
    dog.reset();
  });
  run_until(50);
  EXPECT_EQ(at_, (milliseconds{10, 20}));
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(RecipesWatchdog, MayOutliveTheEngine) {
  std::optional<engine> engine(std::in_place, engine_options{.manual = &clock_});
  watchdog dog(*engine, 10ms, log());
  engine.reset();
}

TEST_F(RecipesWatchdog, IsFedAgainAfterAnExecutorDroppedItsTimer) {
  const auto none = std::make_shared<dropping>();
  engine lossy({.manual = &clock_, .executor = none});
  watchdog dog(lossy, 10ms, log());
  clock_.advance(10ms);
  lossy.poll();
  EXPECT_EQ(lossy.pending(), 0u);
  EXPECT_TRUE(dog.feed());
  EXPECT_EQ(lossy.pending(), 1u);
}

}  // namespace
}  // namespace detent::recipes::testing
