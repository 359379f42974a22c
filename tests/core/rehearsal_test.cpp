// SPDX-License-Identifier: MIT
#include "rehearsal.hpp"

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using namespace detent;
using namespace std::chrono_literals;

// Enough to use each free node of its thread many times over.
TEST(Rehearsal, FiresAgainAndAgain) {
  for (wheel_kind wheel : {wheel_kind::hierarchical, wheel_kind::hashed}) {
    for (duration tick : {duration(1), duration(1ms)}) {
      detail::rehearsal rehearses(true);
      rehearses.prepare(duration(1s).count(), {.tick = tick, .wheel = wheel});
      for (int i = 0; i < 20'000; ++i) rehearses.fire_one();
      rehearses.end();
    }
  }
}

TEST(Rehearsal, DoesNothingUnlessWantedAndWorthIt) {
  detail::rehearsal unwanted(false), short_waits(true);
  unwanted.prepare(duration(1s).count(), {});
  short_waits.prepare(duration(10us).count(), {});
  unwanted.fire_one();
  short_waits.fire_one();
}

// The engine's own figures know nothing of it.
TEST(Rehearsal, IsCountedNowhere) {
  for (wait_options wait : {wait_options::hybrid(), wait_options::busy()}) {
    engine timers({.wait = wait});
    std::atomic<int> fired{0};
    constexpr int rounds = 20;
    for (int i = 1; i <= rounds; ++i) {
      timers.schedule_after(1ms, [&] { ++fired; });
      while (fired < i || timers.pending() != 0) std::this_thread::sleep_for(100us);
    }
    const engine_metrics told = timers.metrics();
    EXPECT_EQ(told.scheduled, rounds);
    EXPECT_EQ(told.fired, rounds);
    EXPECT_EQ(told.expired, rounds);
    EXPECT_EQ(told.lateness.count(), rounds);
    EXPECT_EQ(told.callback.count(), rounds);
    EXPECT_TRUE(timers.list_pending().empty());
  }
}

}  // namespace
