// SPDX-License-Identifier: MIT
// Sleeping coroutines and the end: of their engine, of their executor, of their frame.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "support/coroutine_tasks.hpp"
#include "support/engine_executors.hpp"
#include "support/mapped_clock.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::free_task;
using testing::holding_executor;
using testing::owned_task;

owned_task sleep_once(engine& e, std::optional<bool>& elapsed, std::stop_token token = {}) {
  elapsed = co_await e.sleep_for(1s, std::move(token));
}

TEST(CoroutineEnd, AStoppedEngineLeavesItsSleepersToTheirOwners) {
  manual_clock clock;
  engine e({.manual = &clock});
  std::optional<bool> elapsed;
  std::stop_source source;
  owned_task task = sleep_once(e, elapsed, source.get_token());
  std::vector<unfired> left = e.stop();
  ASSERT_EQ(left.size(), 1u);
  source.request_stop();
  left.front().run();
  EXPECT_FALSE(elapsed);
  EXPECT_FALSE(task.done());
  task.destroy();
  EXPECT_EQ(e.metrics().returned, 1u);
}

TEST(CoroutineEnd, WhatStopGaveBackMayOutliveTheFrame) {
  manual_clock clock;
  std::vector<unfired> left;
  {
    engine e({.manual = &clock});
    std::optional<bool> elapsed;
    owned_task task = sleep_once(e, elapsed);
    left = e.stop();
  }
  left.front().run();  // touches nothing
}

TEST(CoroutineEnd, AFrameMayOutliveItsEngine) {
  std::optional<bool> elapsed;
  std::stop_source source;
  owned_task plain, stoppable;
  {
    engine e;
    plain = sleep_once(e, elapsed);
    stoppable = sleep_once(e, elapsed, source.get_token());
  }
  engine next;  // perhaps where the other was
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
  owned_task task;
  {
    engine e({.manual = clock.get()});
    task = sleep_once(e, elapsed, source.get_token());
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
  goes.destroy();  // handed over, and not started
  held->run_first();
  EXPECT_EQ(ran, true);
  held->run_first();  // of the one destroyed
  source.request_stop();
  held->run_first();  // moved by the stop
  EXPECT_FALSE(stopped);
  held->held.clear();
  EXPECT_EQ(e.metrics().dropped, 1u);
  EXPECT_FALSE(waits.done()) << "nothing is left to resume it";
  e.poll();
  EXPECT_EQ(held->held.size(), 1u);
  held->run_first();
  EXPECT_EQ(stopped, false);
  EXPECT_FALSE(destroyed);
  EXPECT_TRUE(runs.done() && ends.done());
}

}  // namespace
}  // namespace detent
