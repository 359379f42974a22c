// SPDX-License-Identifier: MIT
#include <detent/recipes/debounce.hpp>

#include "virtual_time.hpp"

#include <optional>

namespace detent::recipes::testing {
namespace {

using RecipesDebounce = Recipes;

TEST_F(RecipesDebounce, RunsOnceWhenTheBurstIsOver) {
  debounce save(engine_, 10ms, log());
  for (int ms : {0, 4, 8, 12}) {
    run_until(ms);
    save();
  }
  run_until(100);
  save();
  run_until(200);
  EXPECT_EQ(at_, (milliseconds{22, 110}));
}

TEST_F(RecipesDebounce, OfTheLongestDelayNeverRunsByItself) {
  debounce save(engine_, std::chrono::hours::max(), log());
  save();
  run_until(50);
  EXPECT_TRUE(at_.empty());
  EXPECT_TRUE(save.flush());
}

TEST_F(RecipesDebounce, WaitsNoLongerThanMaxWait) {
  debounce save(engine_, {.delay = 10ms, .max_wait = 25ms}, log());
  for (int ms = 0; ms < 60; ms += 4) {
    run_until(ms);
    save();
  }
  run_until(200);
  EXPECT_EQ(at_, (milliseconds{25, 53, 66}));
}

TEST_F(RecipesDebounce, LeadingRunsAtOnceAndAtTheEndOnlyIfMoreCame) {
  debounce save(engine_, {.delay = 10ms, .leading = true}, log());
  save();
  run_until(50);
  EXPECT_EQ(at_, milliseconds{0});
  save();
  save();
  run_until(55);
  save();
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{0, 50, 65}));
}

TEST_F(RecipesDebounce, CountsACallInsideItsRunForTheNext) {
  debounce<>* self = nullptr;
  debounce<> save(engine_, 10ms, [&] {
    at_.push_back(now());
    if (at_.size() < 3) self->call();
  });
  self = &save;
  save();
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{10, 20, 30}));
}

TEST_F(RecipesDebounce, FlushRunsAtOnceAndOnce) {
  debounce save(engine_, 10ms, log());
  EXPECT_FALSE(save.flush());
  save();
  run_until(3);
  EXPECT_TRUE(save.flush());
  EXPECT_FALSE(save.flush());
  EXPECT_EQ(engine_.pending(), 0u);
  save();
  run_until(50);
  EXPECT_EQ(at_, (milliseconds{3, 13}));
}

TEST_F(RecipesDebounce, FlushOfALeadingOneKeepsTheBurst) {
  debounce save(engine_, {.delay = 10ms, .leading = true}, log());
  save();
  EXPECT_TRUE(save.flush());
  run_until(5);
  save();
  run_until(50);
  EXPECT_EQ(at_, (milliseconds{0, 15}));
}

TEST_F(RecipesDebounce, CountsACallInsideAFlushForTheNextRun) {
  debounce<>* self = nullptr;
  debounce<> save(engine_, 10ms, [&] {
    at_.push_back(now());
    if (at_.size() > 1) return;
    self->call();
    EXPECT_FALSE(self->flush());
  });
  self = &save;
  save();
  EXPECT_TRUE(save.flush());
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{0, 10}));
}

TEST_F(RecipesDebounce, FlushHandsOnWhatItsFunctionThrows) {
  debounce save(engine_, 10ms, [] { throw 1; });
  save();
  EXPECT_THROW(save.flush(), int);
  EXPECT_FALSE(save.flush());
}

TEST_F(RecipesDebounce, MayBeDestroyedByItsFunctionInAFlush) {
  std::optional<debounce<>> save;
  save.emplace(engine_, 10ms, [&] { save.reset(); });
  save->call();
  EXPECT_TRUE(save->flush());
  EXPECT_FALSE(save);
}

TEST_F(RecipesDebounce, ForgetsWhatIsCancelled) {
  debounce save(engine_, 10ms, log());
  save();
  save.cancel();
  run_until(50);
  EXPECT_TRUE(at_.empty());
}

}  // namespace
}  // namespace detent::recipes::testing
