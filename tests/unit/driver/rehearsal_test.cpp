// SPDX-License-Identifier: MIT
#include "driver/rehearsal.hpp"

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>

#include "support/drive_eventually.hpp"
#include "support/drive_process.hpp"

namespace {

using namespace detent;
using namespace std::chrono_literals;

// Uses each free node of its thread many times over: a node that did not come back would cost 6 MB in each of the four.
TEST(Rehearsal, FiresAgainAndAgainInTheSameMemory) {
  for (wheel_kind wheel : {wheel_kind::hierarchical, wheel_kind::hashed}) {
    for (duration tick : {duration(1), duration(1ms)}) {
      detail::rehearsal rehearses(true);
      rehearses.begin({.tick = tick, .wheel = wheel});
      const std::size_t before = drive::memory().resident;
      for (int i = 0; i < 100'000; ++i) rehearses.fire_one();
      EXPECT_LT(drive::memory().resident, before + (std::size_t{3} << 20));
      rehearses.end();
    }
  }
}

// Its wheel is a small one whatever the engine's is.
TEST(Rehearsal, TakesLittleMemoryBesideALargeWheel) {
  detail::rehearsal rehearses(true);
  const std::size_t before = drive::memory().resident;
  rehearses.begin({.wheel = wheel_kind::hashed, .hashed_slots = std::size_t{1} << 24});
  EXPECT_LT(drive::memory().resident, before + (std::size_t{16} << 20));
  rehearses.end();
}

// The mappings that an engine adds while it lives.
std::size_t mappings_of_an_engine(wait_options wait) {
  const std::size_t before = drive::mappings();
  const engine timers({.wait = wait});
  return drive::mappings() - before;
}

// A worker that spins no longer than a rehearsal comes ahead of the deadline would never hold one.
TEST(Rehearsal, IsMadeOnlyWhereTheSpinIsLongEnough) {
  wait_options brief = wait_options::hybrid();
  brief.max_spin = 10us;
  for (int i = 0; i < 3; ++i) {  // the first maps what others use again
    const std::size_t without = mappings_of_an_engine(wait_options::sleep());
    const std::size_t with = mappings_of_an_engine(wait_options::hybrid());
    const std::size_t with_brief = mappings_of_an_engine(brief);
    if (i == 0) continue;
    EXPECT_GT(with, without);
    EXPECT_EQ(with_brief, without);
  }
}

// The engine's own figures know nothing of it.
TEST(Rehearsal, IsCountedNowhere) {
  for (wait_options wait : {wait_options::hybrid(), wait_options::busy()}) {
    engine timers({.wait = wait});
    std::atomic<int> fired{0};
    constexpr int rounds = 20;
    for (int i = 1; i <= rounds; ++i) {
      timers.schedule_after(1ms, [&] { ++fired; });
      ASSERT_TRUE(drive::eventually([&] { return fired == i && timers.pending() == 0; }));
    }
    timers.stop();  // so that the last run has been counted to its end
    const engine_metrics reported = timers.metrics();
    EXPECT_EQ(reported.scheduled, rounds);
    EXPECT_EQ(reported.fired, rounds);
    EXPECT_EQ(reported.expired, rounds);
    EXPECT_EQ(reported.lateness.count(), rounds);
    EXPECT_EQ(reported.callback.count(), rounds);
    EXPECT_TRUE(timers.list_pending().empty());
  }
}

}  // namespace
