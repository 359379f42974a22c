// SPDX-License-Identifier: MIT
// Found by random programs, in the few calls that it takes.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using EngineSimulatedFaults = drive::in_virtual_time;

// Keeps what it is given; from then on that it `runs`, runs all that it has as soon as it is given more.
class runs_what_it_kept final : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    kept.push_back(std::move(work));
    for (std::vector<fired_timer> taken; runs && !kept.empty();) {
      taken.swap(kept);
      for (fired_timer& each : taken) each();
      taken.clear();
    }
    return true;
  }
  std::vector<fired_timer> kept;
  bool runs = false;
};

// The executor has kept it since an earlier poll(), and runs it inside this one.
TEST_F(EngineSimulatedFaults, WhatAnExecutorHeldRunsOnceInAPollThoughItIsRestarted) {
  auto holder = std::make_shared<runs_what_it_kept>();
  drive::virtual_engine rig({.executor = holder});
  int runs = 0;
  timer again = rig.engine.schedule_at_fixed_rate(1ns, 1h, [&] { ++runs; });
  rig.poll_at(at(1));
  EXPECT_EQ(runs, 0);
  holder->runs = true;
  rig.engine.schedule_at(at(2), [&] { EXPECT_TRUE(again.restart_at(at(2))); });
  rig.poll_at(at(2));
  EXPECT_EQ(runs, 1) << "a second turn in one poll()";
  rig.engine.poll();
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace detent
