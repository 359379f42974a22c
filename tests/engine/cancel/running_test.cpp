// SPDX-License-Identifier: MIT
// Cancelling a callback that runs on another thread, and scoped_timer, which does so at its end.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::census;
using testing::eventually;

TEST(EngineCancelRunning, SaysSoAndDoesNotWait) {
  engine e;
  std::atomic<bool> inside{false}, go_on{false};
  timer t = e.schedule_after(0s, [&](firing& now) {
    inside = true;
    eventually([&] { return go_on.load(); });
    now.rearm_after(0s);
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  EXPECT_EQ(t.cancel(), cancel_result::running);
  EXPECT_EQ(t.cancel(), cancel_result::running);
  inside = false;
  go_on = true;
  t.cancel_and_wait();
  EXPECT_EQ(t.cancel(), cancel_result::gone);
  EXPECT_FALSE(inside) << "it was its last run, whatever it re-armed";
}

TEST(EngineCancelRunning, AndWaitReturnsAfterTheRunAndItsCaptures) {
  engine e;
  census callables;
  std::atomic<bool> inside{false};
  drive::sleeper waits;
  bool ended = false;  // plain: what the run did is visible after the wait for it
  timer t = e.schedule_after(0s, [&, here = callables.join()] {
    inside = true;
    EXPECT_TRUE(waits.sleeps());
    ended = true;
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  waits.lies_down();
  EXPECT_NE(t.cancel_and_wait(), cancel_result::cancelled);
  EXPECT_TRUE(ended);
  EXPECT_EQ(callables.ended(), 1);
  EXPECT_EQ(t.cancel(), cancel_result::gone);
}

TEST(EngineCancelRunning, EndsAPeriodicTimerWithThatRun) {
  engine e;
  std::atomic<int> runs{0};
  std::atomic<bool> go_on{false};
  timer t = e.schedule_at_fixed_rate(0s, 1us, [&] {
    runs.fetch_add(1);
    eventually([&] { return go_on.load(); });
  });
  ASSERT_TRUE(eventually([&] { return runs.load() == 1; }));
  EXPECT_EQ(t.cancel(), cancel_result::running);
  EXPECT_FALSE(t.pending());
  go_on = true;
  t.cancel_and_wait();
  EXPECT_EQ(runs.load(), 1);
  EXPECT_EQ(e.pending(), 0u);
}

TEST(EngineScopedTimer, CancelsAtItsEnd) {
  manual_clock clk;
  engine e({.manual = &clk});
  timer t;
  {
    scoped_timer owner(e.schedule_after(1s, [] {}));
    t = owner.get();
    EXPECT_TRUE(t.pending());
  }
  EXPECT_EQ(t.cancel(), cancel_result::gone);
}

// A callback that runs until the test's thread waits for it.
struct waited_for {
  timer start(engine& on) {
    timer started = on.schedule_after(0s, [this] {
      inside = true;
      EXPECT_TRUE(waits.sleeps());
      ended = true;
    });
    EXPECT_TRUE(eventually([this] { return inside.load(); }));
    waits.lies_down();
    return started;
  }
  std::atomic<bool> inside{false};
  drive::sleeper waits;
  bool ended = false;
};

TEST(EngineScopedTimer, WaitsAtItsEndForTheRunningCallback) {
  engine e;
  waited_for running;
  { scoped_timer owner(running.start(e)); }
  EXPECT_TRUE(running.ended);
}

TEST(EngineScopedTimer, WaitsForTheRunningOneWhenAnotherIsMovedIn) {
  engine e;
  waited_for running;
  scoped_timer owner(running.start(e));
  owner = scoped_timer(e.schedule_after(1h, [] {}));
  EXPECT_TRUE(running.ended);
  scoped_timer& same = owner;
  owner = std::move(same);
  EXPECT_TRUE(owner.get().pending());
}

TEST(EngineScopedTimer, CancelsWhatItOwnedWhenAnotherIsMovedIn) {
  manual_clock clk;
  engine e({.manual = &clk});
  scoped_timer first(e.schedule_after(1s, [] {})), second(e.schedule_after(2s, [] {}));
  timer replaced = first.get(), kept = second.get();
  first = std::move(second);
  EXPECT_FALSE(replaced.pending());
  EXPECT_TRUE(kept.pending());
  EXPECT_EQ(first.get(), kept);
}

}  // namespace
}  // namespace detent
