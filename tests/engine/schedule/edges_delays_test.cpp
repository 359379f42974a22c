// SPDX-License-Identifier: MIT
// Delays of every size and sign, and what one of them may cost the others.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::ids;
using EngineEdgesDelays = drive::in_virtual_time;

TEST_F(EngineEdgesDelays, OfZeroAreDueAtOnceButRunInTheNextPoll) {
  engine_.schedule_after(0s, rig_.note(1));
  EXPECT_EQ(fired_, ids{});
  EXPECT_EQ(engine_.poll(), 1u);
}

TEST_F(EngineEdgesDelays, BelowZeroAreDueAtOnceHoweverFarBelow) {
  clock_.advance_to(time_point(1h));
  int id = 0;
  for (duration delay : {duration(-1), duration(-1'000'000), duration(-2h), -duration::max(), duration::min()})
    engine_.schedule_after(delay, rig_.note(++id));
  EXPECT_EQ(engine_.poll(), 5u);
  EXPECT_EQ(fired_, (ids{1, 2, 3, 4, 5})) << "all count as zero: the order is that of the calls";
}

TEST_F(EngineEdgesDelays, BelowZeroAreLateByNothing) {
  clock_.advance_to(time_point(1h));
  duration lateness = -1s;
  engine_.schedule_after(duration::min(), [&](firing& now) { lateness = now.lateness(); });
  engine_.poll();
  EXPECT_EQ(lateness, 0s);
}

TEST_F(EngineEdgesDelays, OfTheLargestSizeWaitForTheEndOfTime) {
  clock_.advance_to(time_point(1h));
  timer t = engine_.schedule_after(duration::max(), rig_.note(1));
  EXPECT_EQ(engine_.next_deadline(), time_point::max());
  clock_.advance_to(time_point(10'000h));
  EXPECT_EQ(engine_.poll(), 0u);
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  EXPECT_EQ(engine_.next_deadline(), std::nullopt);
}

TEST_F(EngineEdgesDelays, SaturateForPeriodicTimersToo) {
  clock_.advance_to(time_point(1h));
  timer rate = engine_.schedule_at_fixed_rate(duration::max(), duration::max(), rig_.note(1));
  timer delay = engine_.schedule_with_fixed_delay(duration::max(), duration::max(), rig_.note(2));
  EXPECT_EQ(engine_.next_deadline(), time_point::max());
  EXPECT_EQ(rig_.poll_at(time_point(10'000h)), 0u);
  EXPECT_EQ(rate.cancel(), cancel_result::cancelled);
  EXPECT_EQ(delay.cancel(), cancel_result::cancelled);
}

TEST_F(EngineEdgesDelays, OfManyPastDeadlinesRunInDeadlineOrder) {
  clock_.advance_to(time_point(1h));
  engine_.schedule_at(time_point(30min), rig_.note(3));
  engine_.schedule_at(time_point(-30min), rig_.note(2));
  engine_.schedule_at(time_point(59min), rig_.note(4));
  engine_.schedule_at(time_point::min(), rig_.note(1));
  engine_.poll();
  EXPECT_EQ(fired_, (ids{1, 2, 3, 4}));
}

TEST_F(EngineEdgesDelays, InThePastAreNotHeldUpByTheWheelsPosition) {
  engine_.schedule_at(time_point(1h), rig_.note(1));
  rig_.poll_at(time_point(1h));
  engine_.schedule_at(time_point(1h - 1ns), rig_.note(2));
  EXPECT_EQ(engine_.poll(), 1u);
}

TEST_F(EngineEdgesDelays, OfZeroFromACallbackLetWhatIsDueRunFirst) {
  engine_.schedule_after(0s, [&] {
    rig_.note(1)();
    engine_.schedule_after(0s, rig_.note(3));
  });
  engine_.schedule_after(0s, rig_.note(2));
  engine_.poll();
  EXPECT_EQ(fired_, (ids{1, 2, 3}));
}

// As many as a burst brings, armed over a second on a coarse tick: none early, none later than the end of its tick.
TEST_F(EngineEdgesDelays, OfAHundredThousandTimersEndWithinTheirTick) {
  drive::virtual_engine coarse({.tick = 200ms});
  std::size_t ran = 0, early = 0, late = 0;
  for (int step = 0; step < 1000; ++step) {
    const time_point wanted = coarse.clock.now() + 125ms;
    for (int i = 0; i < 100; ++i) {
      coarse.engine.schedule_after(125ms, [&, wanted](firing& now) {
        ++ran;
        if (now.started() < wanted) ++early;
        if (now.started() >= wanted + 200ms) ++late;
      });
    }
    coarse.clock.advance(1ms);
    coarse.engine.poll();
  }
  for (int step = 0; step < 325; ++step) coarse.poll_at(coarse.clock.now() + 1ms);
  EXPECT_EQ(ran, 100'000u);
  EXPECT_EQ(early, 0u);
  EXPECT_EQ(late, 0u);
}

TEST_F(EngineEdgesDelays, OfAllMayBeginAtTheClocksZero) {
  EXPECT_EQ(engine_.now(), time_point());
  engine_.schedule_at(time_point(), rig_.note(1));
  EXPECT_EQ(engine_.poll(), 1u);
}

}  // namespace
}  // namespace detent
