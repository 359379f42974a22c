// SPDX-License-Identifier: MIT
// Memory runs out where work changes hands, in metrics, and at the end: every callable still ends exactly once.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "hostile/fault_walk.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::expect_works;
using hostile::fault_scope;
using hostile::outcome;
using hostile::walk;
using testing::bystander;
using testing::census;

TEST(BadAllocEnds, StopReturnsAllOrDestroysAllAndSaysSo) {
  walk([](fault_scope& scope) {
    census callables;
    engine e({.reserve = 0});
    for (int i = 0; i < 50; ++i) e.schedule_after(1h, bystander<100>{.here = callables.join()});
    std::vector<unfired_timer> left;
    const outcome came = scope.during([&] { left = e.stop(); });
    EXPECT_TRUE(e.stopped());
    EXPECT_EQ(left.size(), came == outcome::done ? 50u : 0u);
    EXPECT_EQ(callables.living(), static_cast<int>(left.size()));
    EXPECT_EQ(e.pending(), 0u);
    EXPECT_EQ(e.metrics().returned, 50u);
  });
}

TEST(BadAllocEnds, StopWithoutExceptionsReturnsACode) {
  walk([](fault_scope& scope) {
    census callables;
    engine e({.reserve = 0});
    for (int i = 0; i < 50; ++i) e.schedule_after(1h, bystander<0>{.here = callables.join()});
    std::vector<unfired_timer> left;
    failure problem;
    scope.during([&] { left = e.try_stop(problem); });
    EXPECT_EQ(left.size(), problem ? 0u : 50u);
    EXPECT_TRUE(!problem || problem == errc::out_of_memory);
    EXPECT_EQ(callables.living(), static_cast<int>(left.size()));
  });
}

TEST(BadAllocEnds, DestructionNeedsNoMemory) {
  for (const bool on_a_pool : {false, true}) {
    census callables;
    auto e = std::make_unique<engine>(engine_options{
        .executor = on_a_pool ? std::make_shared<thread_pool>() : std::shared_ptr<thread_pool>(), .reserve = 0});
    for (int i = 0; i < 50; ++i) e->schedule_after(1h, bystander<100>{.here = callables.join()});
    hostile::expect_in_child([] {});
    hostile::arm_faults(hostile::faults::from_then, 1);
    e.reset();
    EXPECT_EQ(hostile::disarm_faults(), 0u) << "asked for memory";
    EXPECT_EQ(callables.living(), 0);
  }
}

// The engine that is replaced ends; a record of this thread, which never used it, is what it would like to have.
TEST(BadAllocEnds, MovingAnEngineDoesWithoutMemory) {
  engine first({.reserve = 0}), second({.reserve = 0});
  hostile::arm_faults(hostile::faults::from_then, 1);
  engine third(std::move(first));
  second = std::move(third);
  hostile::disarm_faults();
  expect_works(second);
}

TEST(BadAllocEnds, MetricsAreReturnedOrRefused) {
  walk([](fault_scope& scope) {
    engine e({.reserve = 0});
    e.schedule_after(1h, [] {});
    engine_metrics reported;
    const outcome came = scope.during([&] { reported = e.metrics(); });
    EXPECT_EQ(reported.scheduled, came == outcome::done ? 1u : 0u);
    expect_works(e);
  });
}

TEST(BadAllocEnds, TheWakeFdNeedsNoMemoryOfALaterThread) {
  walk([](fault_scope& scope) {
    engine e({.drive = drive_kind::caller, .reserve = 0});
    int descriptor = -1;
    const outcome came = scope.during([&] { descriptor = e.wake_fd(); });
    EXPECT_EQ(came == outcome::done, descriptor >= 0);
    expect_works(e, [&] { e.poll(); });
  });
}

// On a pool, what cannot be queued is refused, and the policy decides.
void walk_pool(refusal_policy policy) {
  walk([policy](fault_scope& scope) {
    std::atomic<std::size_t> ran{0};
    engine e({.executor = std::make_shared<thread_pool>(), .on_refusal = policy, .reserve = 0});
    scope.during([&] {
      for (int i = 0; i < 300; ++i) e.try_schedule_after(duration(i), [&ran] { ++ran; });
      std::this_thread::sleep_for(
          5ms);  // for worker and pool to meet the faults: refused for good, they report nothing
    });
    EXPECT_TRUE(drive::eventually([&] { return e.pending() == 0; }));
    e.stop();
    const engine_metrics end = e.metrics();
    EXPECT_EQ(end.scheduled, end.expired + end.dropped);
    EXPECT_EQ(ran, end.expired);
    EXPECT_TRUE(policy == refusal_policy::drop || end.dropped == 0) << end.dropped;
  });
}

TEST(BadAllocEnds, WorkThatAPoolCannotQueueRunsInline) { walk_pool(refusal_policy::run_inline); }
TEST(BadAllocEnds, WorkThatAPoolCannotQueueIsOfferedAgain) { walk_pool(refusal_policy::retry); }
TEST(BadAllocEnds, WorkThatAPoolCannotQueueIsDroppedAndCounted) { walk_pool(refusal_policy::drop); }

TEST(BadAllocEnds, RefusedWorkThatCannotWaitIsNotLost) {
  walk([](fault_scope& scope) {
    manual_clock clock;
    auto moody = std::make_shared<testing::moody_executor>();
    engine e({.manual = &clock, .executor = moody, .on_refusal = refusal_policy::retry, .reserve = 0});
    std::size_t ran = 0;
    for (int i = 0; i < 500; ++i) e.schedule_after(duration(i), [&ran] { ++ran; });
    clock.advance(1us);
    moody->refuse = true;
    scope.during([&] { e.poll(); });
    moody->refuse = false;
    while (ran != 500 && e.poll() + 1 != 0 && e.pending() != 0) clock.advance(1ms);
    EXPECT_EQ(ran, 500u);
    EXPECT_EQ(e.metrics().dropped, 0u);
  });
}

TEST(BadAllocEnds, AFailingCallbackIsCountedWithoutMemory) {
  walk([](fault_scope& scope) {
    manual_clock clock;
    int reported = 0;
    engine e({.manual = &clock, .on_error = [&reported](std::exception_ptr) { ++reported; }, .reserve = 0});
    e.schedule_at_fixed_rate(1ms, 1ms, [] { throw std::string(100, 'x'); });
    clock.advance(1ms);
    EXPECT_EQ(e.poll(), 1u);
    clock.advance(1ms);
    scope.during([&] { e.poll(); });
    clock.advance(1ms);
    e.poll();
    EXPECT_GE(reported, 2);
    EXPECT_EQ(e.metrics().failed, static_cast<std::uint64_t>(reported));
    EXPECT_EQ(e.pending(), 1u);
  });
}

}  // namespace
}  // namespace detent
