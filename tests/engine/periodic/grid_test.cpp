// SPDX-License-Identifier: MIT
// A fixed rate counts its periods, to the nanosecond, from the time asked for and not from the tick that it is rounded
// to.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <utility>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using drive::at;

class EnginePeriodicGrid : public ::testing::Test {
 protected:
  drive::virtual_engine rig_{{.tick = duration(10)}};
  detent::engine& engine_ = rig_.engine;
};

TEST_F(EnginePeriodicGrid, IsAnchoredWhereItIsRestartedThoughItRoundsToTheSameTick) {
  timer rate = engine_.schedule_at_fixed_rate(duration(103), duration(15), rig_.note(1));
  EXPECT_TRUE(rate.restart_at(at(110)));
  EXPECT_EQ(rig_.poll_at(at(110)), 1u);
  EXPECT_EQ(rig_.poll_at(at(120)), 0u) << "103 + 15 is not due any more";
  EXPECT_EQ(rig_.poll_at(at(130)), 1u) << "110 + 15, rounded";
}

// Re-armed by its first run, off the tick.
template <class Owner>
void expect_anchored_where_it_is_rearmed(drive::virtual_engine& rig, Owner& owner, int first_due) {
  bool first = true;
  owner.schedule_at_fixed_rate(duration(50), duration(15), [&](firing& f) {
    if (std::exchange(first, false)) f.rearm_at(at(103));
  });
  EXPECT_EQ(rig.poll_at(at(first_due)), 1u);
  EXPECT_EQ(rig.poll_at(at(110)), 1u);
  EXPECT_EQ(rig.poll_at(at(120)), 1u) << "103 + 15, rounded";
}

TEST_F(EnginePeriodicGrid, IsAnchoredWhereItIsReArmedNotAtItsTick) {
  expect_anchored_where_it_is_rearmed(rig_, engine_, 50);
}

}  // namespace
}  // namespace detent
