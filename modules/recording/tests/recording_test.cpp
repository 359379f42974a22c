// SPDX-License-Identifier: MIT
// An engine's recording, row by row, on virtual time.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "recording_engine.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::nothing;
using testing::recorded_trace;
using EngineRecord = testing::EngineRecord;

TEST_F(EngineRecord, HasARowForEachOperationThatTookEffect) {
  auto& rig = start();
  timer first = rig.engine.schedule_at(at(1500), nothing);
  rig.clock.advance_to(at(1010));
  timer second = rig.engine.schedule_after(30ns, nothing);
  rig.clock.advance_to(at(1020));
  EXPECT_TRUE(first.restart_at(at(1600)));
  EXPECT_TRUE(first.restart_after(5ns));
  EXPECT_EQ(second.cancel(), cancel_result::cancelled);
  EXPECT_EQ(second.cancel(), cancel_result::gone);
  EXPECT_FALSE(second.restart_after(1ns));
  rig.poll_at(at(1030));
  EXPECT_FALSE(first.restart_after(1ns));
  EXPECT_EQ(stop().text(),
            "0,S,a,500,schedule\n"
            "10,S,b,30,schedule\n"
            "20,R,a,580,restart\n"
            "20,R,a,5,restart\n"
            "20,C,b,,cancel\n"
            "30,X,a,,fire\n");
}

TEST_F(EngineRecord, LeavesPendingWhatStopReturned) {
  auto& rig = start();
  rig.engine.schedule_after(1h, nothing);
  EXPECT_EQ(stop().text(), "0,S,a,3600000000000,schedule\n");
}

TEST_F(EngineRecord, SaysNothingOfWhatGoesWell) {
  ::testing::internal::CaptureStderr();
  start().engine.schedule_after(1h, nothing);
  stop();
  rig_.reset();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(EngineRecord, DistinguishesTheGenerationsOfOneNode) {
  auto& rig = start();
  for (int i = 0; i < 3; ++i) rig.engine.schedule_after(1us, nothing).cancel();
  EXPECT_EQ(stop().text(),
            "0,S,a,1000,schedule\n0,C,a,,cancel\n"
            "0,S,b,1000,schedule\n0,C,b,,cancel\n"
            "0,S,c,1000,schedule\n0,C,c,,cancel\n");
}

TEST_F(EngineRecord, SaysWhenATimerIsDueByTheEnginesTick) {
  auto& rig = start({.tick = 64ns});
  rig.engine.schedule_at(at(1025), nothing);
  EXPECT_EQ(stop().text(), "0,S,a,88,schedule\n");
}

TEST_F(EngineRecord, KnowsThePastAndTheEndOfTime) {
  auto& rig = start();
  rig.engine.schedule_at(at(5), nothing);
  rig.engine.schedule_at(time_point::max(), nothing);
  EXPECT_EQ(stop().text(), "0,S,a,0,schedule\n0,S,b,9223372036854775807,schedule\n");
}

TEST_F(EngineRecord, TakesEachPeriodForANewArming) {
  auto& rig = start();
  timer ticking = rig.engine.schedule_at_fixed_rate(10ns, 20ns, nothing);
  rig.poll_at(at(1010));
  rig.poll_at(at(1035));
  rig.clock.advance_to(at(1040));
  EXPECT_EQ(ticking.cancel(), cancel_result::cancelled);
  EXPECT_EQ(stop().text(),
            "0,S,a,10,schedule\n"
            "10,X,a,,fire\n10,S,a,20,period\n"
            "35,X,a,,fire\n35,S,a,15,period\n"
            "40,C,a,,cancel\n");
}

TEST_F(EngineRecord, HasNoRowForAPeriodThatEndsOrIsCancelledInItsRun) {
  auto& rig = start();
  rig.engine.schedule_at_fixed_rate(10ns, 20ns, nothing, {.runs = 2});
  rig.engine.schedule_at_fixed_rate(10ns, 20ns, [](firing& now) { now.self().cancel(); });
  rig.poll_at(at(1010));
  rig.poll_at(at(1030));
  EXPECT_EQ(stop().text(),
            "0,S,a,10,schedule\n0,S,b,10,schedule\n"
            "10,X,a,,fire\n10,S,a,20,period\n"
            "10,X,b,,fire\n"
            "30,X,a,,fire\n");
}

TEST_F(EngineRecord, TakesAReArmingForANewArmingThatCanBeRestarted) {
  auto& rig = start();
  timer again;
  again = rig.engine.schedule_after(10ns, [left = 1](firing& now) mutable {
    if (left-- != 0) now.rearm_after(50ns);
  });
  rig.poll_at(at(1010));
  EXPECT_TRUE(again.restart_at(at(1030)));
  rig.poll_at(at(1030));
  EXPECT_EQ(stop().text(), "0,S,a,10,schedule\n10,X,a,,fire\n10,S,a,50,rearm\n10,R,a,20,restart\n30,X,a,,fire\n");
}

TEST_F(EngineRecord, HoldsWhatACallbackDoesAfterItsOwnStart) {
  auto& rig = start();
  timer other = rig.engine.schedule_at(at(1100), nothing);
  rig.engine.schedule_at(at(1010), [&] {
    other.cancel();
    rig.engine.schedule_after(1ns, nothing);
  });
  rig.poll_at(at(1010));
  EXPECT_EQ(stop().text(), "0,S,a,100,schedule\n0,S,b,10,schedule\n10,X,b,,fire\n10,C,a,,cancel\n10,S,c,1,schedule\n");
}

TEST_F(EngineRecord, HasEachOfManyThatWereScheduledAndCancelledInOneCall) {
  auto& rig = start();
  const std::array<time_point, 3> deadlines{at(1003), at(1001), at(1002)};
  std::array<timer, 3> made{};
  rig.engine.schedule_at_bulk(
      deadlines, [](std::size_t) {}, made);
  EXPECT_EQ(rig.engine.cancel_bulk(std::span<const timer>(made).first(2)), 2u);
  rig.poll_at(at(1005));
  EXPECT_EQ(stop().text(),
            "0,S,a,3,schedule\n0,S,b,1,schedule\n0,S,c,2,schedule\n"
            "0,C,a,,cancel\n0,C,b,,cancel\n5,X,c,,fire\n");
}

TEST_F(EngineRecord, ShowsWhatWasDroppedForItsStaleness) {
  auto& rig = start();
  rig.engine.schedule_after(10ns, nothing, {.max_lateness = 5ns});
  rig.poll_at(at(1020));
  EXPECT_EQ(stop().text(), "0,S,a,10,schedule\n20,X,a,,drop\n");
}

TEST_F(EngineRecord, ShowsWhatWasDroppedAsItWasRefused) {
  auto full = std::make_shared<testing::holding_executor>();
  full->refuse = true;
  auto& rig = start({.executor = full, .on_refusal = refusal_policy::drop});
  rig.engine.schedule_after(10ns, nothing);
  rig.poll_at(at(1012));
  EXPECT_EQ(stop().text(), "0,S,a,10,schedule\n12,X,a,,drop\n");
}

TEST_F(EngineRecord, ForgetsAPauseWithItsGroup) {
  auto& rig = start();
  { timer_group(rig.engine).pause(); }
  rig.engine.poll();
  timer_group later(rig.engine);  // in place of the other
  later.schedule_after(10ns, nothing);
  EXPECT_EQ(stop().text(), "0,S,a,10,schedule\n");
}

TEST_F(EngineRecord, IsOnTheDiskOnceTheEngineHasBeenDestroyed) {
  start().engine.schedule_after(1ns, nothing);
  rig_.reset();
  EXPECT_EQ(recorded_trace::of_file(place_.path()).text(), "0,S,a,1,schedule\n");
}

TEST_F(EngineRecord, ReplacesAnOlderOneOfThatName) {
  for (std::size_t rows : {3u, 1u}) {
    auto& rig = start();
    for (std::size_t i = 0; i < rows; ++i) rig.engine.schedule_after(1ns, nothing);
    EXPECT_EQ(stop().rows.size(), rows);
  }
}

}  // namespace
}  // namespace detent
