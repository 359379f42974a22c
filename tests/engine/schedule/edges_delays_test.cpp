// SPDX-License-Identifier: MIT
// Delays of every size and sign, and what one of them may cost the others.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <chrono>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::ids;
using EngineEdgesDelays = drive::in_virtual_time;

TEST_F(EngineEdgesDelays, BelowZeroAreDueAtOnceHoweverFarBelow) {
  clock_.advance_to(time_point(1h));
  int id = 0;
  for (duration delay : {duration(-1), duration(-1'000'000), duration(-2h), -duration::max(), duration::min()})
    engine_.schedule_after(delay, rig_.note(++id));
  EXPECT_EQ(engine_.poll(), 5u);
  EXPECT_EQ(fired_, (ids{1, 2, 3, 4, 5})) << "all count as zero: the order is that of the calls";
}

TEST_F(EngineEdgesDelays, TooLongForNanosecondsSaturateInEachCall) {
  using std::chrono::hours;
  clock_.advance_to(time_point(1h));
  timer_group group(engine_);
  engine_.schedule_after(hours::max(), rig_.note(1));
  engine_.try_schedule_after(hours::max(), rig_.note(2));
  engine_.schedule_at(std::chrono::time_point<clock, hours>::max(), rig_.note(3));
  engine_.schedule_at_fixed_rate(hours::max(), hours::max(), rig_.note(4));
  engine_.schedule_with_fixed_delay(hours::max(), hours::max(), rig_.note(5));
  group.schedule_after(hours::max(), rig_.note(6));
  timer moved = engine_.schedule_after(1h, rig_.note(7));
  EXPECT_TRUE(moved.restart_after(hours::max()));
  engine_.schedule_after(0h, [](firing& run) { run.rearm_after(hours::max()); });
  EXPECT_EQ(engine_.poll(), 1u);
  EXPECT_EQ(engine_.next_deadline(), time_point::max());
  EXPECT_EQ(rig_.poll_at(time_point(10'000h)), 0u);
  EXPECT_EQ(engine_.pending(), 8u);
  engine_.schedule_after(hours::min(), rig_.note(8));
  EXPECT_EQ(engine_.poll(), 1u);
  EXPECT_EQ(fired_, ids{8});
}

}  // namespace
}  // namespace detent
