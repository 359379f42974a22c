// SPDX-License-Identifier: MIT
// Scheduling: what may be scheduled, what a handle is, and what a refused call leaves behind.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::bystander;
using testing::census;

// A callable whose copies throw while it is told so.
template <std::size_t Bytes>
struct throws_when_copied {
  census::token here;
  const bool* armed;
  std::array<std::byte, Bytes> padding{};
  throws_when_copied(census& of, const bool& when) : here(of.join()), armed(&when) {}
  throws_when_copied(const throws_when_copied& other) : here(other.here), armed(other.armed) {
    if (*armed) throw std::runtime_error("no copy");
  }
  void operator()() const {}
};

template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) sized {
  std::array<std::byte, Bytes> bytes{};
  bool* right = nullptr;
  void operator()() const {
    bool aligned = reinterpret_cast<std::uintptr_t>(this) % Alignment == 0;
    *right = aligned && std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0x5a}; });
  }
};

template <std::size_t Bytes, std::size_t Alignment>
bool survives() {
  manual_clock clk;
  engine e({.manual = &clk, .reserve = 16});
  bool right = false;
  sized<Bytes, Alignment> f;
  f.bytes.fill(std::byte{0x5a});
  f.right = &right;
  e.schedule_after(1ns, f);
  clk.advance(1ns);
  e.poll();
  return right;
}

TEST(EngineSchedule, TakesCallablesOfAnySize) {
  EXPECT_TRUE((survives<1, 8>()));
  EXPECT_TRUE((survives<16, 8>()));
  EXPECT_TRUE((survives<17, 8>()));
  EXPECT_TRUE((survives<100, 8>()));
  EXPECT_TRUE((survives<100'000, 8>()));
}

TEST(EngineSchedule, TakesCallablesOfAnyAlignment) {
  EXPECT_TRUE((survives<8, 16>()));
  EXPECT_TRUE((survives<8, 32>()));
  EXPECT_TRUE((survives<8, 64>()));
  EXPECT_TRUE((survives<8, 4096>()));
}

TEST(EngineSchedule, TakesWhatCanOnlyBeMoved) {
  manual_clock clk;
  engine e({.manual = &clk});
  int seen = 0;
  e.schedule_after(1s, [&seen, value = std::make_unique<int>(7)] { seen = *value; });
  clk.advance(1s);
  e.poll();
  EXPECT_EQ(seen, 7);
}

TEST(EngineSchedule, CopiesAnLvalueAndLeavesItAsItWas) {
  manual_clock clk;
  engine e({.manual = &clk});
  census callables;
  bystander<0> mine{callables.join()};
  e.schedule_after(1s, mine).cancel();
  EXPECT_EQ(callables.living(), 1);
}

TEST(EngineSchedule, TakesAFunctionPointer) {
  manual_clock clk;
  engine e({.manual = &clk});
  static int calls = 0;
  e.schedule_after(
      0s, +[] { ++calls; });
  e.poll();
  EXPECT_EQ(calls, 1);
}

// There is no null callback but this one: it is found out when it runs, and costs nobody else anything.
TEST(EngineSchedule, CountsAnEmptyFunctionAsFailedWhenItRuns) {
  manual_clock clk;
  engine e({.manual = &clk, .on_error = [](std::exception_ptr) {}});
  e.schedule_after(0s, std::function<void()>());
  EXPECT_EQ(e.poll(), 1u);
  EXPECT_EQ(e.metrics().failed, 1u);
  EXPECT_EQ(e.pending(), 0u);
}

TEST(EngineSchedule, DestroysACallableOnceAfterItsLastRun) {
  manual_clock clk;
  engine e({.manual = &clk});
  census small, large;
  e.schedule_after(1s, bystander<0>{small.join()});
  e.schedule_at_fixed_rate(1s, 1s, bystander<100>{large.join()}, {.runs = 3});
  for (int run = 1; run <= 3; ++run) {
    EXPECT_EQ(large.living(), 1) << "before run " << run;
    clk.advance(1s);
    e.poll();
  }
  EXPECT_EQ(small.ended(), 1);
  EXPECT_EQ(large.ended(), 1);
}

template <std::size_t Bytes>
void expect_that_a_throwing_copy_leaves_nothing() {
  manual_clock clk;
  engine e({.manual = &clk, .capacity = 1});
  census callables;
  bool throws = false;
  throws_when_copied<Bytes> f(callables, throws);
  throws = true;
  EXPECT_THROW(e.schedule_after(1s, f), std::runtime_error);
  EXPECT_THROW(e.schedule_at_fixed_rate(1s, 1s, f), std::runtime_error);
  EXPECT_EQ(callables.living(), 1);
  EXPECT_EQ(e.pending(), 0u);
  EXPECT_EQ(e.metrics().scheduled, 0u);
  EXPECT_EQ(e.next_deadline(), std::nullopt);
  EXPECT_TRUE(e.try_schedule_after(1s, [] {})) << "its place is free";
}
TEST(EngineSchedule, LeavesNothingBehindIfACopyThrows) {
  expect_that_a_throwing_copy_leaves_nothing<1>();
  expect_that_a_throwing_copy_leaves_nothing<100>();
}

TEST(EngineSchedule, IsNeverBlockedByARunningCallback) {
  std::atomic<bool> inside{false}, go_on{false};  // the callback may look once more while the engine ends
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

TEST(EngineSchedule, LetsACallbackScheduleOnItsEngine) {
  manual_clock clk;
  engine e({.manual = &clk});
  std::vector<int> order;
  e.schedule_after(1s, [&] {
    order.push_back(1);
    e.schedule_after(1s, [&] { order.push_back(2); });
  });
  clk.advance(1s);
  e.poll();
  EXPECT_EQ(order, (std::vector<int>{1}));
  clk.advance(1s);
  e.poll();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(EngineSchedule, WorksFromManyThreadsAtOnce) {
  engine e;
  std::atomic<int> runs{0};
  {
    std::vector<testing::joined_thread> producers;
    for (int p = 0; p < 4; ++p) {
      producers.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) e.schedule_after(i * 1us, [&] { runs.fetch_add(1); });
      });
    }
  }
  EXPECT_TRUE(testing::eventually([&] { return runs.load() == 8000; }));
  EXPECT_EQ(e.stop().size(), 0u);
  EXPECT_EQ(runs.load(), 8000);
}

TEST(EngineSchedule, WorksOnAHundredEnginesAtOnce) {
  manual_clock clk;
  std::vector<engine> engines;
  int runs = 0;
  for (int i = 0; i < 100; ++i) engines.push_back(engine({.manual = &clk, .reserve = 16}));
  for (engine& each : engines) each.schedule_after(1s, [&] { ++runs; });
  clk.advance(1s);
  for (engine& each : engines) each.poll();
  EXPECT_EQ(runs, 100);
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

TEST(EngineHandle, HashesAlikeIfEqual) {
  manual_clock clk;
  engine e({.manual = &clk});
  timer t = e.schedule_after(1s, [] {});
  timer copy = t;
  EXPECT_EQ(std::hash<timer>{}(copy), std::hash<timer>{}(t));
}

TEST(EngineHandle, IsFalseAndGoneWhenEmpty) {
  timer none;
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.pending());
  EXPECT_EQ(none.cancel(), cancel_result::gone);
  EXPECT_EQ(none.cancel_and_wait(), cancel_result::gone);
}

TEST(EngineHandle, IsWhatTheFiringTells) {
  manual_clock clk;
  engine e({.manual = &clk});
  timer reported, scheduled = e.schedule_after(1s, [&](firing&now) { reported = now.self(); });
  clk.advance(1s);
  e.poll();
  EXPECT_EQ(reported, scheduled);
}

TEST(EngineHandle, IsPendingFromScheduleToStart) {
  manual_clock clk;
  engine e({.manual = &clk});
  bool inside = true;
  timer t = e.schedule_after(1s, [&](firing& now) { inside = now.self().pending(); });
  EXPECT_TRUE(t);
  EXPECT_TRUE(t.pending());
  clk.advance(1s);
  EXPECT_TRUE(t.pending());
  e.poll();
  EXPECT_FALSE(inside);
  EXPECT_FALSE(t.pending());
}

}  // namespace
}  // namespace detent
