// SPDX-License-Identifier: MIT
// The report of a load that the command runs itself: the causes are of the same runs as the lateness, from the first
// on.
#include "run/run_load.hpp"

#include <gtest/gtest.h>

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

TEST(RunLoad, HasNoPartOfTheLatenessAboveTheWhole) {
  const load_outcome outcome = run_load({.timers = 100, .producers = 1, .length = 2s});
  const engine_metrics& engine = outcome.metrics;
  EXPECT_GT(outcome.fired, 0u);
  EXPECT_EQ(engine.fired, outcome.fired);  // timers of other engines are not included
  EXPECT_EQ(engine.lateness.count(), outcome.fired);
  // The callback reads the clock itself, after the engine has done so.
  EXPECT_LE(engine.lateness.max().count(), outcome.lateness.max());
  for (const histogram* part : {&engine.late_drain, &engine.late_wait, &engine.late_worker, &engine.late_dispatch})
    EXPECT_LE(part->max(), engine.lateness.max());
}

// Each timer that was scheduled has fired, was cancelled, or is pending at the end, and only one of these.
TEST(RunLoad, Balances) {
  for (const std::uint64_t threads : {0U, 1U}) {
    const load_outcome outcome = run_load({.timers = 20'000, .producers = 2, .length = 500ms, .executor = threads});
    EXPECT_GT(outcome.pending_at_end, 0u);
    EXPECT_EQ(outcome.counts.scheduled, outcome.counts.cancelled + outcome.fired + outcome.pending_at_end) << threads;
  }
}

}  // namespace
}  // namespace detent::tool
