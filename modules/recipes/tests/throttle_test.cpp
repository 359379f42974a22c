// SPDX-License-Identifier: MIT
#include <detent/recipes/throttle.hpp>

#include "virtual_time.hpp"

#include <exception>
#include <functional>
#include <memory>

namespace detent::recipes::testing {
namespace {

class RecipesThrottle : public Recipes {
 protected:
  milliseconds runs_of(throttle_options options) {
    throttle redraw(engine_, options, log());
    for (int ms = 0; ms < 24; ms += 3) {
      run_until(ms);
      redraw();
    }
    run_until(100);
    redraw();
    run_until(200);
    return at_;
  }
};

TEST_F(RecipesThrottle, RunsAtOnceAndThenOnceAnInterval) {
  EXPECT_EQ(runs_of({.interval = 10ms}), (milliseconds{0, 10, 20, 30, 100}));
}
TEST_F(RecipesThrottle, RunsOnlyAtTheEndsWithoutLeading) {
  EXPECT_EQ(runs_of({.interval = 10ms, .leading = false}), (milliseconds{10, 20, 30, 110}));
}
TEST_F(RecipesThrottle, DropsWhatComesInsideWithoutTrailing) {
  EXPECT_EQ(runs_of({.interval = 10ms, .trailing = false}), (milliseconds{0, 12, 100}));
}
TEST_F(RecipesThrottle, OfTheLongestIntervalRunsOnce) {
  throttle redraw(engine_, std::chrono::hours::max(), log());
  redraw();
  redraw();
  run_until(50);
  EXPECT_EQ(at_, milliseconds{0});
}
TEST_F(RecipesThrottle, FlushRunsAtOnceAndOpensAnInterval) {
  throttle redraw(engine_, 10ms, log());
  redraw();
  run_until(2);
  EXPECT_FALSE(redraw.flush());
  redraw();
  run_until(4);
  EXPECT_TRUE(redraw.flush());
  run_until(7);
  redraw();
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{0, 4, 14}));
}
TEST_F(RecipesThrottle, CancelForgetsACallAndKeepsTheInterval) {
  throttle redraw(engine_, 10ms, log());
  redraw();
  redraw.cancel();
  EXPECT_EQ(engine_.pending(), 0u);
  run_until(2);
  redraw();
  run_until(4);
  redraw();
  redraw.cancel();
  EXPECT_FALSE(redraw.flush());
  run_until(6);
  redraw();
  run_until(100);
  EXPECT_EQ(at_, (milliseconds{2, 12}));
}
TEST_F(RecipesThrottle, IsArmedAgainAfterAnExecutorDroppedItsTimer) {
  engine lossy({.manual = &clock_, .executor = std::make_shared<dropping>()});
  throttle redraw(lossy, 10ms, log());
  redraw();
  lossy.poll();
  EXPECT_EQ(lossy.pending(), 0u);
  redraw();
  EXPECT_EQ(lossy.pending(), 1u);
}
TEST_F(RecipesThrottle, GoesOnAfterARunThatThrows) {
  engine quiet({.manual = &clock_, .on_error = [](std::exception_ptr) {}});
  throttle fails(quiet, 10ms, [this] {
    at_.push_back(now());
    throw 1;
  });
  for (int ms : {0, 5, 10}) {
    clock_.advance_to(time_point(std::chrono::milliseconds(ms)));
    fails();
    quiet.poll();
  }
  EXPECT_EQ(at_, (milliseconds{0, 10}));
}
// on_error is called between the end of `f` and the next arming of the timer.
TEST_F(RecipesThrottle, KeepsTheIntervalForACallThatComesWhileItsTimerIsArmedAgain) {
  for (const bool trailing : {true, false}) {
    at_.clear();
    const int first = now();
    std::function<void()> call;
    engine quiet({.manual = &clock_, .on_error = [&](std::exception_ptr) { call(); }});
    throttle fails(quiet, throttle_options{.interval = 10ms, .trailing = trailing}, [this] {
      at_.push_back(now());
      throw 1;
    });
    call = [&] {
      if (at_.size() < 10) fails();
    };
    call();
    for (int i = 0; i < 25; ++i) {
      quiet.poll();
      quiet.poll();
      clock_.advance(1ms);
    }
    EXPECT_EQ(at_, trailing ? (milliseconds{first, first + 10, first + 20}) : milliseconds{first});
  }
}

}  // namespace
}  // namespace detent::recipes::testing
