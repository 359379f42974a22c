// SPDX-License-Identifier: MIT
// Calls on an engine that was there before memory ran out: each is done or refused whole, and nothing is lost.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <vector>

#include "hostile/fault_walk.hpp"
#include "support/engine_captures.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::bare_engine;
using hostile::fault_scope;
using hostile::outcome;
using hostile::walk;
using testing::at_end;
using testing::bystander;
using testing::census;

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
  const auto small = [](census& of) { return bystander<0>{.here = of.join()}; };
  const auto boxed = [](census& of) { return bystander<100>{.here = of.join()}; };
  walk_first_schedule([&](engine& e, census& of) { return e.schedule_after(1h, small(of)); });
  walk_first_schedule([&](engine& e, census& of) { return e.schedule_after(1h, boxed(of)); });
  walk_first_schedule(
      [&](engine& e, census& of) { return e.schedule_at(e.now() + 1h, small(of), {.max_lateness = 1ms}); });
  walk_first_schedule([&](engine& e, census& of) { return e.schedule_at_fixed_rate(1h, 1h, small(of)); });
  walk_first_schedule([&](engine& e, census& of) { return e.schedule_with_fixed_delay(1h, 1h, boxed(of)); });
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

TEST(BadAllocCalls, AFullCapacityIsNotUsedUpByRefusals) {
  walk([](fault_scope& scope) {
    census callables;
    bare_engine bare({.max_pending = 1});
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

// Copied without a throw: each timer has its own.
struct counted_callback {
  explicit counted_callback(census& of) : here(of) {}
  counted_callback(const counted_callback&) noexcept = default;
  void operator()(std::size_t) const {}
  census::token here;
};

TEST(BadAllocCalls, ManyInOneCallAreDoneAsFarAsThereIsMemory) {
  walk([](fault_scope& scope) {
    constexpr std::size_t capacity = 30'000;  // and many more than its first index has
    census callables;
    bare_engine bare({.max_pending = capacity});
    std::vector<timer> out(6'000);  // more than the queue has room for by itself
    const std::vector<time_point> deadlines(out.size(), time_point(1us));
    std::size_t made = 0, more = 0;
    const outcome came =
        scope.during([&] { made = bare.engine.schedule_at_bulk(deadlines, counted_callback(callables), out); });
    EXPECT_EQ(came, outcome::done);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(static_cast<bool>(out[i]), i < made);
    EXPECT_EQ(callables.living(), static_cast<int>(made));
    EXPECT_EQ(bare.engine.poll(), 0u);
    while (bare.engine.try_schedule_after(1us, [] {})) ++more;
    EXPECT_EQ(made + more, capacity);
    bare.clock.advance(1us);
    EXPECT_EQ(bare.engine.poll(), capacity);
    EXPECT_EQ(callables.living(), 0);
    bare.expect_works();
  });
}

// Where the list of its members cannot grow, the driver scans every node there is.
TEST(BadAllocCalls, ACancelledGroupLosesItsMembersAndNobodyElseTheirs) {
  walk([](fault_scope& scope) {
    census mine, others;
    bare_engine bare;
    timer_group group(bare.engine), other(bare.engine);
    auto member = [&] { return group.schedule_after(1h, [here = mine.join()] {}); };
    std::vector<timer> earlier(20);
    for (timer& each : earlier) each = member();
    bare.engine.poll();
    for (timer& each : earlier) each.cancel();
    bare.engine.poll();
    for (int i = 0; i < 10; ++i) {  // in places that were the group's
      bare.engine.schedule_after(1h, [here = others.join()] {});
      other.schedule_after(1h, [here = others.join()] {});
    }
    for (int i = 0; i < 200; ++i) member();
    scope.during([&] { bare.engine.poll(); });
    group.cancel_all();
    bare.engine.poll();
    EXPECT_EQ(mine.living(), 0);
    EXPECT_EQ(others.living(), 20);
    other.cancel_all();
    bare.engine.poll();
    EXPECT_EQ(bare.engine.stop().size(), 10u);
    EXPECT_EQ(others.living(), 0);
  });
}

TEST(BadAllocCalls, AGroupThatGrowsWhileItIsReclaimedLosesAllThatWereCancelled) {
  walk([](fault_scope& scope) {
    census mine;
    bare_engine bare;
    timer_group group(bare.engine);
    std::vector<timer> turned(512);  // their places are used again in the reverse order
    for (timer& each : turned) each = bare.engine.schedule_after(1h, [] {});
    for (timer& each : turned) each.cancel();
    for (int i = 0; i < 128; ++i) {
      group.schedule_after(1h, [here = mine.join(), last = at_end([&] {
                                                      for (int more = 0; more < 4; ++more)
                                                        group.try_schedule_after(1h, [] {});
                                                    })] {});
    }
    bare.engine.poll();
    group.cancel_all();
    scope.during([&] { bare.engine.poll(); });
    for (int i = 0; i < 3; ++i) bare.engine.poll();
    EXPECT_EQ(mine.living(), 0);
    group.cancel_all();
    bare.engine.poll();
    EXPECT_EQ(bare.engine.stop().size(), 0u);
  });
}

TEST(BadAllocCalls, LabelsAreMadeOrRefused) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    label made;
    const outcome came = scope.during([&] { made = bare.engine.make_label("one"); });
    EXPECT_EQ(came == outcome::done, made.name() == "one");
    const label again = bare.engine.make_label("one");
    bare.engine.schedule_after(0ns, [] {}, {.label = again});
    EXPECT_EQ(bare.engine.poll(), 1u);
    EXPECT_EQ(bare.engine.metrics(again).fired, 1u);
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
    // Walks need an allocation that may fail.
    scope.during([&] { bare.engine.metrics(); });
  });
}

}  // namespace
}  // namespace detent
