// SPDX-License-Identifier: MIT
// Cancelling a callback that runs on another thread, and scoped_timer, which does so at its end.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "support/engine_eventually.hpp"
#include "support/waited_for.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::waited_for;

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
  for (const bool on_a_pool : {false, true}) {
    engine e({.executor = on_a_pool ? std::make_shared<thread_pool>() : std::shared_ptr<thread_pool>()});
    waited_for running;
    timer t = running.start(e);
    EXPECT_NE(t.cancel_and_wait(), cancel_result::cancelled);
    EXPECT_TRUE(running.ended);
    EXPECT_EQ(running.captures.ended(), 1);
    EXPECT_EQ(t.cancel(), cancel_result::gone);
  }
}

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

}  // namespace
}  // namespace detent
