// SPDX-License-Identifier: MIT
// The options of an engine: each way to wait, and the defaults. unit.options_check has those that are impossible.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <chrono>

#include "support/drive_problem.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;

TEST(EngineOptions, TakeEachWayToWait) {
  for (wait_options wait : {wait_options::busy(), wait_options::hybrid(0ns), wait_options::hybrid(duration::max()),
                            wait_options::sleep()}) {
    EXPECT_FALSE(problem_of([&] { engine e({.wait = wait, .reserve = 64}); }).code);
  }
}

TEST(EngineOptions, AreByDefaultExactUnlimitedAndOnAWorker) {
  const engine_options o;
  EXPECT_EQ(o.tick, 1ns);
  EXPECT_EQ(o.wheel, wheel_kind::hierarchical);
  EXPECT_EQ(o.drive, drive_kind::worker);
  EXPECT_EQ(o.clock, clock_kind::automatic);
  EXPECT_EQ(o.max_pending, 0u);
  EXPECT_EQ(o.executor, nullptr);
  EXPECT_EQ(o.on_refusal, refusal_policy::run_inline);
  EXPECT_EQ(o.wake_budget, (duration::max)());
  EXPECT_EQ(lane_count, 4);
  EXPECT_EQ(timer_options{}.lane, 0);
  EXPECT_EQ(periodic_options{}.lane, 0);
  EXPECT_EQ(timer_options{}.slack, 0ns);
  EXPECT_EQ(periodic_options{}.slack, 0ns);
}

}  // namespace
}  // namespace detent
