// SPDX-License-Identifier: MIT
// In which order, and how often, callbacks run.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace detent {
namespace {

using namespace std::chrono_literals;

// It ran, re-armed for later, and was restarted to this very instant by a callback of the same poll().
TEST(EngineOrder, ATimerRunsOncePerPollThoughANeighbourRestartsIt) {
  manual_clock clk;
  engine e({.manual = &clk});
  int runs = 0;
  bool restarted = false;
  timer t = e.schedule_after(0s, [&](firing& now) {
    if (++runs == 1) now.rearm_after(5ms);
  });
  e.schedule_after(0s, [&] { restarted = t.restart_after(0s); });
  e.poll();
  EXPECT_TRUE(restarted);
  EXPECT_EQ(runs, 1);
  e.poll();
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace detent
