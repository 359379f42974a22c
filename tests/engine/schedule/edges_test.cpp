// SPDX-License-Identifier: MIT
// Deadlines and delays at the ends of the range: all legal, saturating, never overflowing.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace detent {
namespace {

using namespace std::chrono_literals;

TEST(EngineEdges, TheLatenessOfTheEarliestDeadlineOfAllSaturates) {
  manual_clock clk(time_point(1s));
  engine e({.manual = &clk});
  duration lateness{};
  e.schedule_at(time_point::min(), [&](firing& now) { lateness = now.lateness(); });
  EXPECT_EQ(e.poll(), 1u);
  EXPECT_EQ(lateness, duration::max());
  EXPECT_GT(e.metrics().lateness.max(), duration::max() / 2);
}

}  // namespace
}  // namespace detent
