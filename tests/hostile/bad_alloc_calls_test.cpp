// SPDX-License-Identifier: MIT
// Calls on an engine that was there before memory ran out: each is done or refused whole, and nothing is lost.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "hostile/fault_walk.hpp"
#include "support/engine_captures.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::fault_scope;
using hostile::outcome;
using hostile::walk;
using testing::bystander;
using testing::census;

// An engine without a reserve on virtual time: what is asked for is allocated then and there.
struct bare_engine {
  explicit bare_engine(engine_options options = {}) : engine(settled(std::move(options), clock)) {}
  static engine_options settled(engine_options options, manual_clock& clock) {
    options.manual = &clock;
    options.reserve = 0;
    return options;
  }
  void expect_works() {
    hostile::expect_works(engine, [this] {
      clock.advance(1us);
      engine.poll();
    });
  }
  manual_clock clock;
  detent::engine engine;
};

// A first schedule call of a thread, refused or done.
template <class Schedule>
void walk_first_schedule(Schedule&& schedule) {
  walk([&](fault_scope& scope) {
    census callables;
    bare_engine bare;
    timer made;
    const outcome came = scope.during([&] { made = schedule(bare.engine, callables); });
    EXPECT_EQ(came == outcome::done, static_cast<bool>(made));
    EXPECT_EQ(callables.living(), made ? 1 : 0);
    EXPECT_EQ(bare.engine.pending(), made ? 1u : 0u);
    EXPECT_EQ(made.cancel(), made ? cancel_result::cancelled : cancel_result::gone);
    EXPECT_EQ(callables.living(), 0);
    bare.expect_works();
  });
}

TEST(BadAllocCalls, FirstScheduleOfAThreadIsDoneOrRefused) {
  walk_first_schedule([](engine& e, census& of) { return e.schedule_after(1h, bystander<0>{.here = of.join()}); });
}

TEST(BadAllocCalls, ScheduleOfABoxedCallableIsDoneOrRefused) {
  walk_first_schedule([](engine& e, census& of) { return e.schedule_after(1h, bystander<100>{.here = of.join()}); });
}

TEST(BadAllocCalls, ScheduleWithOptionsIsDoneOrRefused) {
  walk_first_schedule([](engine& e, census& of) {
    return e.schedule_at(e.now() + 1h, bystander<0>{.here = of.join()}, {.max_lateness = 1ms});
  });
}

TEST(BadAllocCalls, ScheduleOfPeriodicTimersIsDoneOrRefused) {
  walk_first_schedule(
      [](engine& e, census& of) { return e.schedule_at_fixed_rate(1h, 1h, bystander<0>{.here = of.join()}); });
  walk_first_schedule(
      [](engine& e, census& of) { return e.schedule_with_fixed_delay(1h, 1h, bystander<100>{.here = of.join()}); });
}

TEST(BadAllocCalls, ScheduleWithoutExceptionsLeavesAnEmptyHandle) {
  walk([](fault_scope& scope) {
    census callables;
    bare_engine bare;
    timer made;
    scope.during([&] { made = bare.engine.try_schedule_after(1h, bystander<100>{.here = callables.join()}); });
    EXPECT_EQ(callables.living(), made ? 1 : 0);
    EXPECT_EQ(bare.engine.stop().size(), made ? 1u : 0u);
  });
}

TEST(BadAllocCalls, ScheduleOfACopiedCallableIsDoneOrRefused) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    const std::string text(100, 'x');
    timer made;
    scope.during([&] { made = bare.engine.schedule_after(1h, [text] { static_cast<void>(text); }); });
    EXPECT_EQ(bare.engine.pending(), made ? 1u : 0u);
    bare.expect_works();
  });
}

TEST(BadAllocCalls, AFullCapacityIsNotUsedUpByRefusals) {
  walk([](fault_scope& scope) {
    census callables;
    bare_engine bare({.capacity = 1});
    timer made;
    scope.during([&] { made = bare.engine.schedule_after(1h, bystander<100>{.here = callables.join()}); });
    made.cancel();
    EXPECT_TRUE(bare.engine.try_schedule_after(1h, [] {}));
  });
}

TEST(BadAllocCalls, ManySchedulesBeyondTheReserveAreDoneOrRefusedEachAndFire) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    std::size_t made = 0, fired = 0;
    scope.during([&] {
      for (int i = 0; i < 1'500; ++i)
        if (bare.engine.try_schedule_after(duration(1'500 - i), [&fired] { ++fired; })) ++made;
    });
    EXPECT_EQ(bare.engine.pending(), made);
    bare.clock.advance(1ms);
    EXPECT_EQ(bare.engine.poll(), made);
    EXPECT_EQ(fired, made);
  });
}

TEST(BadAllocCalls, AWorkerLosesNothingThatWasScheduled) {
  walk([](fault_scope& scope) {
    engine e({.reserve = 0});
    std::atomic<std::size_t> fired{0};
    std::size_t made = 0;
    scope.during([&] {
      for (int i = 0; i < 1'500; ++i)
        if (e.try_schedule_after(duration(i * 100), [&fired] { ++fired; })) ++made;
    });
    EXPECT_TRUE(drive::eventually([&] { return fired == made && e.pending() == 0; })) << fired << " of " << made;
    hostile::expect_works(e);
  });
}

TEST(BadAllocCalls, CancelAndRestartOfAnotherThreadNeverFail) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    std::vector<timer> timers;
    for (int i = 0; i < 600; ++i) timers.push_back(bare.engine.schedule_after(1h, [] {}));
    bare.engine.poll();
    std::atomic<bool> go{false};
    std::atomic<int> cancelled{0}, restarted{0};
    std::thread other([&] {
      while (!go) std::this_thread::yield();
      for (std::size_t i = 0; i < 300; ++i) cancelled += timers[i].cancel() == cancel_result::cancelled ? 1 : 0;
      for (std::size_t i = 300; i < 600; ++i) restarted += timers[i].restart_after(1ns) ? 1 : 0;
      go = false;
    });
    scope.during([&] {
      go = true;
      while (go) std::this_thread::yield();
    });
    other.join();
    EXPECT_EQ(cancelled, 300);
    EXPECT_EQ(restarted, 300);
    bare.clock.advance(1us);
    EXPECT_EQ(bare.engine.poll(), 300u);
    EXPECT_EQ(bare.engine.pending(), 0u);
    bare.expect_works();
  });
}

TEST(BadAllocCalls, PollLosesNothingThatIsDue) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    std::size_t fired = 0;
    for (int i = 0; i < 1'500; ++i) {
      bare.engine.schedule_after(duration(i % 700), [&] {
        if (++fired == 10) bare.engine.schedule_after(0ns, [&fired] { ++fired; });
      });
    }
    bare.clock.advance(1us);
    scope.during([&] { bare.engine.poll(); });
    const std::size_t at_most = bare.engine.next_deadline() ? fired : 1'501;
    EXPECT_LE(fired, at_most);
    while (bare.engine.poll() != 0) {
    }
    EXPECT_GE(fired, 1'500u);
    EXPECT_EQ(bare.engine.pending(), 0u);
    bare.expect_works();
  });
}

TEST(BadAllocCalls, NextDeadlineIsNeverTooLateForWantOfMemory) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    for (int i = 0; i < 600; ++i) bare.engine.schedule_after(1us + duration(i), [] {});
    std::optional<time_point> next;
    scope.during([&] { next = bare.engine.next_deadline(); });
    ASSERT_TRUE(next.has_value());
    EXPECT_LE(*next, time_point(1us));
    bare.clock.advance(1ms);
    EXPECT_EQ(bare.engine.poll(), 600u);
    // What a walk needs: an allocation that may fail.
    scope.during([&] { bare.engine.metrics(); });
  });
}

}  // namespace
}  // namespace detent
