// SPDX-License-Identifier: MIT
// In which order, and how often, callbacks run.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/drive_virtual.hpp"

#include "wheel/slot_sets.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

class EngineOrderOfEqualDeadlines : public ::testing::Test {
 protected:
  // Returns whether `count` timers with one deadline fire in the order in which they are armed now.
  bool keeps_the_order_of(int count, time_point due) {
    std::vector<int> fired, armed(static_cast<std::size_t>(count));
    std::iota(armed.begin(), armed.end(), 0);
    for (const int each : armed) engine_.schedule_at(due, [&fired, each] { fired.push_back(each); });
    engine_.poll();
    clock_.advance_to(due - 1us);
    engine_.poll();
    clock_.advance_to(due);
    engine_.poll();
    return fired == armed;
  }

  manual_clock clock_;
  engine engine_{{.manual = &clock_}};
};

// As idle timeouts do, which others outlive: nodes that are filed close together are numbered.
TEST_F(EngineOrderOfEqualDeadlines, IsKeptAfterAMillionTimersThatCameAndWent) {
  constexpr std::int64_t ahead = std::int64_t{1} << 40;
  engine_.schedule_at(at(ahead), [] {});  // stays
  std::vector<timer> some(1'000);
  for (std::int64_t left = detail::slot_set_most - 4; left > 0; left -= 1'000) {
    some.resize(static_cast<std::size_t>(std::min<std::int64_t>(left, 1'000)));
    for (timer& each : some) each = engine_.schedule_at(at(ahead + 1'000 + left), [] {});
    engine_.poll();
    for (timer& each : some) each.cancel();
    engine_.poll();
  }
  EXPECT_TRUE(keeps_the_order_of(16, at(ahead + 500'000)));
}

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

// Eight timers for each of some 700 deadlines, one in each slot of the wheel, come due at once. poll() leaves all of
// them but one over, and the slots that they have left take others.
TEST(EngineOrder, WhatABoundedPollLeavesOverTakesNoRoomFromNewTimers) {
  constexpr int together = 8;
  manual_clock clk;
  engine e({.manual = &clk});
  std::vector<time_point> fired;
  std::size_t made = 0;
  const auto arm = [&](duration delay, int times) {
    for (int i = 0; i < times; ++i, ++made)
      e.schedule_after(delay, [&](firing& now) { fired.push_back(now.deadline()); });
  };
  const auto arm_a_slot_each = [&](int levels, int times) {
    for (int level = 1; level < levels; ++level) {
      for (std::int64_t digit = 1; digit < 64; ++digit) arm(duration(digit << (6 * level)), times);
    }
  };
  for (int i = 0; i < 320; ++i) arm(duration((1LL << 48) + i * 4096), together);
  e.poll();
  arm_a_slot_each(8, together);
  e.poll();
  clk.advance(duration(1LL << 49));
  EXPECT_EQ(e.poll(1), 1u);
  arm_a_slot_each(9, 1);
  EXPECT_EQ(e.poll(), made - 1 - 8 * 63);
  clk.advance(duration(1LL << 56));
  e.poll();
  EXPECT_EQ(fired.size(), made);
  EXPECT_TRUE(std::ranges::is_sorted(fired));
}

}  // namespace
}  // namespace detent
