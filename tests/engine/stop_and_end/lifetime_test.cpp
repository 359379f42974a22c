// SPDX-License-Identifier: MIT
// Objects that may still use an engine while it ends, and those that it releases.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::at_end;
using testing::eventually;

// A callback that runs while another thread is inside ~engine, which waits for it.
TEST(EngineLifetime, ARunningCallbackMayUseTheEngineThatIsBeingDestroyed) {
  std::atomic<bool> inside{false};
  bool scheduled = true;
  {
    engine e;
    e.schedule_after(0s, [&] {
      inside = true;
      eventually([&] { return e.stopped(); });
      scheduled = static_cast<bool>(e.try_schedule_after(1h, [] {}));
    });
    EXPECT_TRUE(eventually([&] { return inside.load(); }));
  }
  EXPECT_FALSE(scheduled);
}

TEST(EngineLifetime, ACaptureThatTheDestructorDestroysFindsTheEngineStopped) {
  manual_clock clk;
  bool stopped = false, scheduled = true;
  {
    engine e({.manual = &clk});
    e.schedule_after(1s, at_end([&] {
                       stopped = e.stopped();
                       scheduled = static_cast<bool>(e.try_schedule_after(1s, [] {}));
                     }));
  }
  EXPECT_TRUE(stopped);
  EXPECT_FALSE(scheduled);
}

TEST(EngineLifetime, CancelMayDestroyTheEngineThatOnlyTheCaptureHeld) {
  manual_clock clk;
  auto owner = std::make_shared<engine>(engine_options{.manual = &clk});
  timer t = owner->schedule_after(1s, [owner] {});
  std::weak_ptr<engine> alive = owner;
  owner.reset();
  ASSERT_FALSE(alive.expired());
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(alive.expired());
}

TEST(EngineLifetime, AStaleTimersCaptureMayStopTheEngine) {
  manual_clock clk;
  engine e({.manual = &clk});
  failure problem;
  bool ended = false;
  e.schedule_after(1s, at_end([&] { e.try_stop(problem), ended = true; }), {.max_lateness = 1ms});
  clk.advance(2s);
  e.poll();
  EXPECT_TRUE(ended);
}

// A thread that stops must not wait for itself.
TEST(EngineLifetime, ACaptureThatTheDestructorDestroysIsRefusedItsStop) {
  manual_clock clk;
  failure problem;
  {
    engine e({.manual = &clk});
    e.schedule_after(1s, at_end([&] { e.try_stop(problem); }));
  }
  EXPECT_EQ(problem, errc::called_from_callback);
}

// Nor must the driver, which is further up the stack where it destroys what a group has cancelled: on the engine's own
// thread, and inside poll().
TEST(EngineLifetime, ACaptureThatTheDriverDestroysIsRefusedItsStop) {
  for (const drive_kind drive : {drive_kind::worker, drive_kind::caller}) {
    engine e({.drive = drive});
    timer_group group(e);
    failure problem;
    std::atomic<bool> ended{false};
    group.schedule_after(1h, at_end([&] { e.try_stop(problem), ended = true; }));
    group.cancel_all();
    EXPECT_TRUE(eventually([&] {
      if (drive == drive_kind::caller) e.poll();
      return ended.load();
    }));
    EXPECT_EQ(problem, errc::called_from_callback);
    EXPECT_FALSE(e.stopped());
  }
}

TEST(EngineLifetime, AStaleTimersCaptureMayDestroyTheEngine) {
  manual_clock clk;
  auto owner = std::make_shared<engine>(engine_options{.manual = &clk});
  engine& e = *owner;
  std::weak_ptr<engine> alive = owner;
  e.schedule_after(1s, [owner] {}, {.max_lateness = 1ms});
  owner.reset();
  clk.advance(2s);
  e.poll();
  EXPECT_TRUE(alive.expired());
}

TEST(EngineLifetime, AStaleTimersCaptureMayCancelItAndWait) {
  manual_clock clk;
  engine e({.manual = &clk});
  timer t;
  cancel_result found = cancel_result::cancelled;
  t = e.schedule_after(1s, at_end([&] { found = t.cancel_and_wait(); }), {.max_lateness = 1ms});
  clk.advance(2s);
  e.poll();
  EXPECT_NE(found, cancel_result::cancelled);
}

TEST(EngineLifetime, ItsExecutorGoesWithItThoughRefusedWorkWaitedWhenItStopped) {
  manual_clock clk;
  auto moody = std::make_shared<testing::moody_executor>();
  moody->refuse = true;
  std::weak_ptr<executor> alive = moody;
  {
    engine e({.manual = &clk, .executor = std::move(moody), .on_refusal = refusal_policy::retry});
    e.schedule_after(1s, [] {});
    clk.advance(1s);
    e.poll();
    EXPECT_EQ(e.stop().size(), 1u);
  }
  EXPECT_TRUE(alive.expired());
}

TEST(EngineLifetime, ItsExecutorGoesWithItThoughItHoldsWork) {
  manual_clock clk;
  auto holding = std::make_shared<testing::holding_executor>();
  std::weak_ptr<executor> alive = holding;
  {
    engine e({.manual = &clk, .executor = std::move(holding)});
    e.schedule_after(1s, [] {});
    clk.advance(1s);
    e.poll();
  }
  EXPECT_TRUE(alive.expired());
}

TEST(EngineLifetime, MoveAssignmentEndsTheEngineThatIsReplaced) {
  manual_clock clk;
  testing::census callables;
  engine replaced({.manual = &clk}), moved({.manual = &clk});
  replaced.schedule_after(1s, testing::bystander<0>{callables.join()});
  timer kept = moved.schedule_after(1s, [] {});
  replaced = std::move(moved);
  EXPECT_EQ(callables.living(), 0);
  EXPECT_TRUE(kept.pending());
  EXPECT_EQ(replaced.pending(), 1u);
}

TEST(EngineLifetime, MoveAssignmentToItselfChangesNothing) {
  manual_clock clk;
  engine e({.manual = &clk});
  int runs = 0;
  timer kept = e.schedule_after(1s, [&] { ++runs; });
  engine& same = e;
  e = std::move(same);
  ASSERT_TRUE(kept.pending());
  e.schedule_after(1s, [&] { ++runs; });
  clk.advance(1s);
  EXPECT_EQ(e.poll(), 2u);
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace detent
