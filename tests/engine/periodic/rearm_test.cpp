// SPDX-License-Identifier: MIT
// firing::rearm_at and rearm_after: the same timer once more, from inside its run.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using EnginePeriodicRearm = drive::in_virtual_time;

TEST_F(EnginePeriodicRearm, RunsAOneShotAgainAtThatTime) {
  engine_.schedule_at(at(10), [&](firing& f) {
    fired_.push_back(static_cast<int>(f.deadline().time_since_epoch().count()));
    if (fired_.size() < 3) f.rearm_at(f.deadline() + 5ns);
  });
  for (int now = 0; now < 40; ++now) rig_.poll_at(at(now));
  EXPECT_EQ(fired_, (ids{10, 15, 20}));
}

TEST_F(EnginePeriodicRearm, CountsADelayFromTheCall) {
  engine_.schedule_at(at(10), [&](firing& f) {
    clock_.advance(3ns);
    f.rearm_after(5ns);
    clock_.advance(3ns);
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(engine_.next_deadline(), at(18));
}

// So far that the hashed wheel keeps them in the lists of a slot, which do not keep their order.
TEST_F(EnginePeriodicRearm, KeepsTheOrderOfManyHoweverFarTheyGo) {
  drive::virtual_engine rig({.wheel = wheel_kind::hashed});
  ids expected;
  for (int id = 1; id <= 20; ++id) {
    rig.engine.schedule_at(at(10), [&, id](firing& f) {
      rig.fired.push_back(id);
      if (f.deadline() == at(10)) f.rearm_at(at(1'000'000));
    });
    expected.push_back(id);
  }
  rig.poll_at(at(10));
  EXPECT_EQ(rig.fired, expected);
  rig.fired.clear();
  rig.poll_at(at(1'000'000));
  EXPECT_EQ(rig.fired, expected);
}

}  // namespace
}  // namespace detent
