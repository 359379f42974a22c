// SPDX-License-Identifier: MIT
// Scheduling: what may be scheduled, what a handle is, and what a refused call leaves behind.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <unordered_set>

#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

struct throws_when_moved {
  throws_when_moved(throws_when_moved&&) noexcept(false) {}
  void operator()() {}
};
static_assert(!fits_inline<throws_when_moved>, "stop() moves callables, and must not fail");
static_assert(detail::timer_callback<void (*)()> && detail::timer_callback<int (*)(firing&)>);
static_assert(!detail::timer_callback<void (*)(int)> && !detail::timer_callback<int>);

// There is no null callback but this one: it is found out when it runs, and costs nobody else anything.
TEST(EngineSchedule, CountsAnEmptyFunctionAsFailedWhenItRuns) {
  manual_clock clk;
  engine e({.manual = &clk, .on_error = [](std::exception_ptr) {}});
  e.schedule_after(0s, std::function<void()>());
  EXPECT_EQ(e.poll(), 1u);
  EXPECT_EQ(e.metrics().failed, 1u);
  EXPECT_EQ(e.pending(), 0u);
}

TEST(EngineSchedule, IsNeverBlockedByARunningCallback) {
  std::atomic<bool> inside{false}, go_on{false};  // the callback may check once more while the engine ends
  engine e;
  e.schedule_after(0s, [&] {
    inside = true;
    testing::eventually([&] { return go_on.load(); });
  });
  EXPECT_TRUE(testing::eventually([&] { return inside.load(); }));
  timer t = e.schedule_after(1h, [] {});
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  go_on = true;
}

TEST(EngineSchedule, NeverRunsACallbackInTheCallThatSchedulesIt) {
  engine e;
  std::atomic<std::thread::id> ran_on{};
  e.schedule_after(-1s, [&] { ran_on = std::this_thread::get_id(); });
  EXPECT_TRUE(testing::eventually([&] { return ran_on.load() != std::thread::id(); }));
  EXPECT_NE(ran_on.load(), std::this_thread::get_id());
}

TEST(EngineHandle, IsEqualToItsCopyAndToNoOther) {
  manual_clock clk;
  engine first({.manual = &clk}), second({.manual = &clk});
  timer a = first.schedule_after(1s, [] {}), b = first.schedule_after(1s, [] {});
  timer elsewhere = second.schedule_after(1s, [] {});
  timer copy = a;
  EXPECT_EQ(copy, a);
  EXPECT_NE(a, b);
  EXPECT_NE(a, elsewhere);
  EXPECT_NE(a, timer());
  EXPECT_EQ(timer(), timer());
}

TEST(EngineHandle, IsNeverEqualToALaterTimersInTheSamePlace) {
  manual_clock clk;
  engine e({.manual = &clk});
  std::unordered_set<timer> seen;
  for (int i = 0; i < 10'000; ++i) {
    timer t = e.schedule_after(1s, [] {});
    EXPECT_TRUE(seen.insert(t).second);
    t.cancel();
  }
}

TEST(EngineHandle, IsFalseAndGoneWhenEmpty) {
  timer none;
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.pending());
  EXPECT_EQ(none.cancel(), cancel_result::gone);
  EXPECT_EQ(none.cancel_and_wait(), cancel_result::gone);
}

}  // namespace
}  // namespace detent
