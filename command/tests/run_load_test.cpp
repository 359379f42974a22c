// SPDX-License-Identifier: MIT
// What a load of its own reports of its engine: the causes are of the same runs as the lateness, from the first on.
#include "run/run_load.hpp"

#include <gtest/gtest.h>

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

TEST(RunLoad, HasNoPartOfTheLatenessAboveTheWhole) {
  const load_outcome outcome = run_load({.timers = 100, .producers = 1, .length = 2s});
  const engine_metrics& engine = outcome.metrics;
  EXPECT_GT(outcome.fired, 0u);
  EXPECT_EQ(engine.fired, outcome.fired);  // nobody else's timers are among them
  EXPECT_EQ(engine.lateness.count(), outcome.fired);
  // The callback reads the clock itself, after the engine has.
  EXPECT_LE(engine.lateness.max().count(), outcome.lateness.max());
  for (const histogram* part : {&engine.late_drain, &engine.late_wait, &engine.late_worker, &engine.late_dispatch})
    EXPECT_LE(part->max(), engine.lateness.max());
}

}  // namespace
}  // namespace detent::tool
