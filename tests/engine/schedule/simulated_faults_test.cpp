// SPDX-License-Identifier: MIT
// What a simulation of many worlds found, each as the few calls that it takes.
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

TEST_F(EngineSimulatedFaults, NoDeadlineIsReportedOnceAllThatWasRefusedIsCancelled) {
  auto refusing = std::make_shared<testing::moody_executor>();
  refusing->refuse = true;
  drive::virtual_engine rig({.executor = refusing, .on_refusal = refusal_policy::retry});
  timer first = rig.engine.schedule_at(at(1), [] {});
  timer second = rig.engine.schedule_at(at(1), [] {});
  rig.poll_at(at(1));
  first.cancel();
  EXPECT_EQ(rig.engine.next_deadline(), at(1) + 1ms) << "the other one is offered again";
  second.cancel();
  EXPECT_EQ(rig.engine.pending(), 0u);
  EXPECT_EQ(rig.engine.next_deadline(), std::nullopt);
}

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

// More of them than next_deadline() scans; with the coarse tick one slot of a wheel holds two deadlines there.
TEST_F(EngineSimulatedFaults, ALoopOnTheNextDeadlineComesToTheLastInstant) {
  for (const duration tick : {1ns, 4096ns}) {
    drive::virtual_engine rig({.tick = tick}, tick == 1ns ? at(0) : at(INT64_MAX - 1));
    for (int i = 0; i < 200; ++i) rig.engine.schedule_at(time_point::max(), rig.note(i));
    for (int polls = 0; polls < 100 && rig.engine.pending() != 0; ++polls) {
      const auto next = rig.engine.next_deadline();
      ASSERT_TRUE(next);
      rig.poll_at(*next);
    }
    EXPECT_EQ(rig.fired.size(), 200u);
  }
}

// With slack it is inserted for later than it is due.
TEST_F(EngineSimulatedFaults, AskingForTheNextDeadlineInsertsNoSlackAgain) {
  engine_.schedule_at(at(1000), [] {}, {.slack = 100ns});
  const auto first = engine_.next_deadline();
  ASSERT_TRUE(first);
  rig_.poll_at(at(1000));
  if (engine_.pending() == 1) {
    EXPECT_GT(engine_.next_deadline(), at(1000)) << "a loop would spin until the slack is over";
  }
  EXPECT_LE(*first, at(1100));
}

}  // namespace
}  // namespace detent
