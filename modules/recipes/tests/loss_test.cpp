// SPDX-License-Identifier: MIT
// Timers of recipes that end without their run: no recipe ends in silence.
#include <detent/recipes/debounce.hpp>
#include <detent/recipes/hedge.hpp>
#include <detent/recipes/retry.hpp>
#include <detent/recipes/throttle.hpp>
#include <detent/recipes/watchdog.hpp>
#include <detent/timer_group.hpp>

#include "support/drive_problem.hpp"
#include "virtual_time.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace detent::recipes::testing {
namespace {

using drive::problem_of;

// Refuses while it is full.
struct sometimes_full final : executor {
  bool full = false;
  bool execute(fired_timer&& work) noexcept override {
    if (full) return false;
    fired_timer taken = std::move(work);
    taken();
    return true;
  }
};

class RecipesLoss : public Recipes {
 protected:
  static void run_all(std::vector<unfired_timer> left) {
    for (unfired_timer& each : left) each.run();
  }
  auto finished() {
    return [this](retry_result result) { results_.push_back(result); };
  }
  static retry_policy policy() {
    return {.attempts = 5, .timeout = 50ms, .pauses = {.first = 10ms, .kind = jitter::none}};
  }
  static void fail(const retry_attempt& attempt) { attempt(false); }

  const std::vector<retry_result> refused_{retry_result::refused};
  std::vector<retry_result> results_;
};

TEST_F(RecipesLoss, RetryFinishesWhenTheEngineStopsInAnAttemptWithALimit) {
  for (const bool runs : {false, true}) {
    std::vector<retry_attempt> out;
    engine engine({.manual = &clock_});
    retry call(
        engine, policy(), [&](const retry_attempt& attempt) { out.push_back(attempt); }, finished());
    engine.poll();
    std::vector<unfired_timer> left = engine.stop();
    if (runs) run_all(std::move(left));
    left.clear();
    EXPECT_EQ(results_, refused_);
    out.at(0)(true);
    EXPECT_EQ(std::exchange(results_, {}), refused_);
  }
}

TEST_F(RecipesLoss, RetryThatIsDestroyedInItsLastWordIsLetGo) {
  using owned = retry<void (*)(const retry_attempt&), std::function<void(retry_result)>>;
  std::optional<owned> call;
  engine engine({.manual = &clock_});
  call.emplace(engine, policy(), fail, [&](retry_result result) {
    results_.push_back(result);
    call.reset();
  });
  engine.poll();
  engine.stop();
  EXPECT_EQ(results_, refused_);
  EXPECT_FALSE(call);
}

TEST_F(RecipesLoss, AHedgeWhoseNextCopyIsDroppedWaitsForTheOthers) {
  const auto pool = std::make_shared<sometimes_full>();
  engine lossy({.manual = &clock_, .executor = pool, .on_refusal = refusal_policy::drop});
  std::vector<hedged_copy<int>> copies;
  std::vector<int> answers;
  const auto request = hedge_call<int>(
      lossy, {.delay = 5ms}, [&](const hedged_copy<int>& copy) { copies.push_back(copy); },
      [&](std::optional<int> answer) { answers.push_back(answer.value_or(-1)); });
  lossy.poll();
  pool->full = true;
  clock_.advance(5ms);
  lossy.poll();
  EXPECT_TRUE(answers.empty());
  copies.at(0)(42);
  EXPECT_EQ(answers, std::vector{42});
}

TEST_F(RecipesLoss, AHedgeLosesItsCopiesWhenTheEngineStops) {
  std::vector<int> answers, lost;
  engine engine({.manual = &clock_});
  const auto request = hedge_call<int>(
      engine, {.delay = 5ms}, [](const hedged_copy<int>&) {},
      [&](std::optional<int> answer) { answers.push_back(answer.value_or(-1)); },
      [&](int index) { lost.push_back(index); });
  engine.poll();
  engine.stop();
  EXPECT_EQ(answers, std::vector{-1});
  EXPECT_EQ(lost, std::vector{0});
}

TEST_F(RecipesLoss, APausedGroupPausesItsRecipes) {
  timer_group group(engine_);
  watchdog dog(group, 10ms, log());
  run_until(6);
  group.pause();
  run_until(50);
  group.resume();
  run_until(100);
  EXPECT_EQ(at_, milliseconds{54});
}

TEST_F(RecipesLoss, WhatStopReturnsRunsThePendingSaveAndTheTrailingDraw) {
  int saved = 0, drawn = 0, barked = 0;
  engine engine({.manual = &clock_});
  debounce save(engine, 500ms, [&] { ++saved; });
  throttle draw(engine, 500ms, [&] { ++drawn; });
  watchdog dog(engine, 1h, [&] { ++barked; });
  draw();
  engine.poll();
  save();
  draw();
  run_all(engine.stop());
  EXPECT_EQ(saved, 1);
  EXPECT_EQ(drawn, 2);
  EXPECT_EQ(barked, 1);
  EXPECT_FALSE(save.flush());
  EXPECT_FALSE(draw.flush());
}

TEST_F(RecipesLoss, FlushMakesUpForWhatWasThrownAway) {
  int saved = 0, drawn = 0;
  engine engine({.manual = &clock_});
  debounce save(engine, 500ms, [&] { ++saved; });
  throttle draw(engine, throttle_options{.interval = 500ms, .leading = false}, [&] { ++drawn; });
  save();
  draw();
  engine.stop();
  EXPECT_TRUE(save.flush());
  EXPECT_TRUE(draw.flush());
  EXPECT_THROW(save(), error);  // counts nevertheless
  EXPECT_TRUE(save.flush());
  EXPECT_FALSE(save.flush());
  EXPECT_EQ(saved, 2);
  EXPECT_EQ(drawn, 1);
}

TEST_F(RecipesLoss, AWatchdogIsNotFedOnceTheEngineHasStopped) {
  engine engine({.manual = &clock_});
  watchdog dog(engine, 1h, [] {});
  const std::vector<unfired_timer> left = engine.stop();
  EXPECT_FALSE(dog.feed());
  EXPECT_THROW(dog.start(), error);
  EXPECT_FALSE(dog.feed());
}

TEST_F(RecipesLoss, RecipesGoOnWithAnEngineThatIsMoved) {
  failure why;
  std::optional<engine> made = engine::try_create({.manual = &clock_}, why);
  watchdog dog(*made, 10ms, log());
  throttle draw(*made, 10ms, log());
  const engine_metrics before = made->metrics();
  engine kept = std::move(*made);
  made.reset();
  EXPECT_TRUE(dog.feed());
  clock_.run_for(20ms, kept);
  dog.start();
  clock_.run_for(20ms, kept);
  draw();
  kept.poll();
  EXPECT_EQ(at_, (milliseconds{10, 30, 40}));
}

TEST_F(RecipesLoss, OptionsReachEachTimer) {
  std::vector<std::uint64_t> tags;
  struct tag_reader final : executor {
    explicit tag_reader(std::vector<std::uint64_t>& to) : seen(to) {}
    bool execute(fired_timer&& work) noexcept override {
      seen.push_back(work.tag());
      fired_timer taken = std::move(work);
      taken();
      return true;
    }
    std::vector<std::uint64_t>& seen;
  };
  engine engine({.manual = &clock_, .executor = std::make_shared<tag_reader>(tags)});
  const retry call(engine, policy(), [](const retry_attempt&) {}, finished(), {.tag = 1});
  const auto request = hedge_call<int>(
      engine, {.delay = 5ms}, [](const hedged_copy<int>&) {}, [](std::optional<int>) {}, detail::lose_nothing(),
      {.tag = 2});
  engine.poll();
  EXPECT_EQ(tags, (std::vector<std::uint64_t>{1, 2}));
  clock_.advance(50ms);  // for the second copy, and for the limit of the attempt
  engine.poll();
  EXPECT_EQ(tags, (std::vector<std::uint64_t>{1, 2, 2, 1}));
}

TEST_F(RecipesLoss, BadInputIsNamedAndArmsNothing) {
  const auto none = [this] { return engine_.pending() == 0; };
  const std::function<void()> null;
  const auto attempt = [](const retry_attempt&) {};
  const auto refuses = [&](const char* text, auto&& make) {
    const drive::problem seen = problem_of(make);
    EXPECT_EQ(seen.code, errc::invalid_option) << text;
    EXPECT_TRUE(seen.names(text)) << seen.what;
    EXPECT_TRUE(none()) << text;
  };
  refuses("watchdog: bark = null", [&] { watchdog dog(engine_, 1ms, null); });
  refuses("debounce: f = null", [&] { debounce save(engine_, 1ms, null); });
  refuses("throttle: f = null", [&] { throttle draw(engine_, 1ms, null); });
  refuses("retry: operation = null",
          [&] { retry call(engine_, policy(), std::function<void(const retry_attempt&)>(), finished()); });
  refuses("retry: finished = null",
          [&] { retry call(engine_, policy(), attempt, static_cast<void (*)(retry_result)>(nullptr)); });
  refuses("retry: attempts = 0", [&] { retry call(engine_, {.attempts = 0}, attempt, finished()); });
  refuses("retry: pauses.factor = inf", [&] {
    retry call(engine_, {.pauses = {.factor = std::numeric_limits<double>::infinity()}}, attempt, finished());
  });
  refuses("hedge: copies = 33", [&] {
    hedge_call<int>(
        engine_, {.copies = 33}, [](const hedged_copy<int>&) {}, [](std::optional<int>) {});
  });
  refuses("lane = 9", [&] { debounce save(engine_, 1ms, [] {}, {.lane = 9}); });
  engine other({.manual = &clock_});
  const label foreign = other.make_label("foreign");
  refuses("label = \"foreign\": belongs to another engine",
          [&] { retry call(engine_, policy(), attempt, finished(), {.label = foreign}); });
  refuses("slack = -1 ns", [&] { throttle draw(engine_, 1ms, [] {}, {.slack = duration(-1)}); });
  const auto own = std::make_shared<dropping>();
  engine posts({.manual = &clock_, .executors = {own}});
  refuses("executor: not one of this engine's", [&] { watchdog dog(engine_, 1ms, [] {}, {.executor = own.get()}); });
}

TEST_F(RecipesLoss, NegativeAndHugeTimesAreHeld) {
  watchdog never(engine_, (duration::max)(), log());
  watchdog at_once(engine_, (duration::min)(), log());
  debounce save(engine_, {.delay = (duration::max)(), .max_wait = (duration::min)()}, log());
  save();
  run_until(5);
  EXPECT_EQ(at_, (milliseconds{0, 0}));
  EXPECT_EQ(engine_.pending(), 1u);
}

}  // namespace
}  // namespace detent::recipes::testing
