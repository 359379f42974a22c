// SPDX-License-Identifier: MIT
// Members that are due at time_point::max(): there a deadline and "never" are the same number.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include "support/group_engine.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::ids;

class TimerGroupEndOfTime : public drive::on_each_engine {};
INSTANTIATE_TEST_SUITE_P(All, TimerGroupEndOfTime, drive::each_engine, drive::engine_name);

TEST_P(TimerGroupEndOfTime, APauseHoldsWhatABoundedPollHasLeftOver) {
  drive::virtual_engine rig(options(), time_point::max() - 1ms);
  timer_group group(rig.engine);
  rig.engine.schedule_at(drive::at(0ns), rig.note(1));
  group.schedule_at(time_point::max(), rig.note(2));
  rig.poll_at(time_point::max(), 1);
  group.pause();
  rig.engine.poll();
  EXPECT_EQ(rig.fired, ids{1});
  group.resume();
  rig.engine.poll();
  EXPECT_EQ(rig.fired, (ids{1, 2}));
}

}  // namespace
}  // namespace detent
