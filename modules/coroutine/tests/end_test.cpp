// SPDX-License-Identifier: MIT
// Sleeping coroutines and the end: of their engine, of their executor, of their frame.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "support/coroutine_tasks.hpp"
#include "support/drive_problem.hpp"
#include "support/engine_executors.hpp"
#include "support/platform/mapped_clock.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::free_task;
using testing::holding_executor;
using testing::owned_task;

owned_task sleep_once(engine& e, std::optional<bool>& elapsed, std::stop_token token = {}) {
  elapsed = co_await e.sleep_for(1s, std::move(token));
}

// Returns "" if it has thrown nothing.
std::string thrown_by(const owned_task& task) {
  if (task.thrown() == nullptr) return "";
  return drive::problem_of([&] { std::rethrow_exception(task.thrown()); }).what;
}

TEST(CoroutineEnd, AStoppedEnginesSleepersGoOnWithWhatStopGaveBack) {
  manual_clock clock;
  engine e({.name = "gone", .manual = &clock});
  std::optional<bool> ran, thrown_away;
  owned_task first = sleep_once(e, ran);
  owned_task second = sleep_once(e, thrown_away);
  std::vector<unfired_timer> left = e.stop();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_FALSE(first.done() || second.done());
  left.front().run();
  EXPECT_EQ(thrown_by(first), "engine \"gone\": it has stopped while a coroutine slept on it");
  EXPECT_FALSE(second.done());
  left.clear();
  EXPECT_EQ(thrown_by(second), thrown_by(first));
  EXPECT_FALSE(ran || thrown_away) << "the time has not elapsed";
  EXPECT_EQ(e.metrics().returned, 2u);
}

TEST(CoroutineEnd, AStopThatWasRequestedIsNoError) {
  manual_clock clock;
  engine e({.manual = &clock});
  std::optional<bool> elapsed;
  std::stop_source source;
  owned_task task = sleep_once(e, elapsed, source.get_token());
  std::vector<unfired_timer> left = e.stop();
  source.request_stop();
  EXPECT_FALSE(task.done()) << "the engine has given its timer away";
  left.clear();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(elapsed, false);
}

TEST(CoroutineEnd, TheEndOfTheEngineIsAnErrorToASleeper) {
  std::optional<bool> elapsed;
  auto e = std::make_unique<engine>();
  owned_task task = sleep_once(*e, elapsed);
  e.reset();
  EXPECT_NE(thrown_by(task), "");
}

TEST(CoroutineEnd, WhatLeavesACoroutineAtTheEndGoesToOnError) {
  int reported = 0;
  auto e = std::make_unique<engine>(engine_options{.on_error = [&](std::exception_ptr) { ++reported; }});
  testing::rethrowing_task task = [](engine& on) -> testing::rethrowing_task { co_await on.sleep_for(1h); }(*e);
  e.reset();
  EXPECT_EQ(reported, 1);
}

// The coroutine continues inside the walk over the timers that end, and destroys a frame that is on its list.
TEST(CoroutineEnd, ACoroutineThatGoesOnAtTheEndMayDestroyAnother) {
  auto e = std::make_unique<engine>();
  std::optional<bool> elapsed;
  owned_task victim;
  owned_task task = [](engine& on, owned_task& other) -> owned_task {
    try {
      co_await on.sleep_for(1h);
    } catch (const error&) {
      other.destroy();
    }
  }(*e, victim);
  victim = sleep_once(*e, elapsed);
  e.reset();
  EXPECT_TRUE(task.done());
  EXPECT_FALSE(elapsed);
}

TEST(CoroutineEnd, AnotherSleepOnAnEndedEngineIsRefused) {
  engine e;
  owned_task task = [](engine& on) -> owned_task {
    try {
      co_await on.sleep_for(1h);
    } catch (const error&) {
    }
    co_await on.sleep_for(1h);
  }(e);
  e.stop();
  EXPECT_EQ(thrown_by(task), "engine \"detent\": it is stopped, and takes no more timers");
}

TEST(CoroutineEnd, WhatStopGaveBackMayOutliveTheFrame) {
  manual_clock clock;
  std::vector<unfired_timer> left;
  {
    engine e({.manual = &clock});
    std::optional<bool> elapsed;
    owned_task one = sleep_once(e, elapsed), other = sleep_once(e, elapsed);
    left = e.stop();
  }
  left.front().run();  // must touch nothing
}

TEST(CoroutineEnd, AFrameMayOutliveItsEngine) {
  std::optional<bool> elapsed;
  std::stop_source source;
  owned_task plain, stoppable;
  std::vector<unfired_timer> left;
  {
    engine e;
    plain = sleep_once(e, elapsed);
    stoppable = sleep_once(e, elapsed, source.get_token());
    left = e.stop();
  }
  engine next;  // perhaps at the other's address
  timer innocent = next.schedule_after(1h, [] {});
  source.request_stop();
  plain.destroy();
  stoppable.destroy();
  EXPECT_FALSE(elapsed);
  EXPECT_TRUE(innocent.pending());
}

TEST(CoroutineEnd, AFrameMayOutliveItsEnginesClock) {
  std::optional<bool> elapsed;
  std::stop_source source;
  testing::mapped_clock clock;
  std::vector<unfired_timer> left;
  owned_task task;
  {
    engine e({.manual = clock.get()});
    task = sleep_once(e, elapsed, source.get_token());
    left = e.stop();
  }
  clock.end();
  source.request_stop();
  EXPECT_FALSE(elapsed);
  task.destroy();
}

TEST(CoroutineEnd, ACoroutineMayDestroyItsEngine) {
  manual_clock clock;
  auto e = std::make_unique<engine>(engine_options{.manual = &clock});
  bool went_on = false;
  [](std::unique_ptr<engine>& mine, bool& after) -> free_task {
    co_await mine->sleep_for(1s);
    mine.reset();
    after = true;
  }(e, went_on);
  clock.advance(1s);
  e->poll();
  EXPECT_TRUE(went_on);
  EXPECT_EQ(e, nullptr);
}

TEST(CoroutineEnd, TheExecutorResumesWhatIsStillAsleep) {
  manual_clock clock;
  auto held = std::make_shared<holding_executor>();
  engine e({.manual = &clock, .executor = held});
  std::optional<bool> ran, destroyed, stopped, dropped;
  std::stop_source source;
  owned_task runs = sleep_once(e, ran), goes = sleep_once(e, destroyed);
  owned_task ends = sleep_once(e, stopped, source.get_token()), waits = sleep_once(e, dropped);
  clock.advance(1s);
  e.poll();
  EXPECT_EQ(held->held.size(), 4u);
  EXPECT_FALSE(ran);
  goes.destroy();  // was handed over, but not started
  held->run_first();
  EXPECT_EQ(ran, true);
  held->run_first();  // the one that was destroyed
  source.request_stop();
  held->run_first();  // the one that stop() has moved
  EXPECT_FALSE(stopped);
  held->held.clear();
  EXPECT_EQ(e.metrics().dropped, 1u);
  EXPECT_EQ(
      thrown_by(waits),
      "engine \"detent\": a coroutine's timer has ended without its run: its executor dropped it, it was stale, or "
      "it was cancelled");
  e.poll();
  EXPECT_EQ(held->held.size(), 1u);
  held->run_first();
  EXPECT_EQ(stopped, false);
  EXPECT_FALSE(destroyed);
  EXPECT_TRUE(runs.done() && ends.done());
}

}  // namespace
}  // namespace detent
