// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;

TEST(EngineClockManual, StartsAtZeroOrWhereItIsSet) {
  EXPECT_EQ(manual_clock().now(), time_point{});
  EXPECT_EQ(manual_clock(at(-7)).now(), at(-7));
}

TEST(EngineClockManual, NeverGoesBackwards) {
  manual_clock clk(at(100));
  clk.advance_to(at(50));
  clk.advance(-30ns);
  clk.advance(duration::min());
  EXPECT_EQ(clk.now(), at(100));
}

TEST(EngineClockManual, StopsAtTheEndOfTime) {
  manual_clock clk(at(100));
  clk.advance(duration::max());
  clk.advance(1ns);
  EXPECT_EQ(clk.now(), time_point::max());
}

TEST(EngineClockManual, IsWhatCallbacksSeeAsStarted) {
  drive::virtual_engine rig;
  time_point started;
  duration lateness{};
  rig.engine.schedule_at(at(10), [&](firing& f) {
    started = f.started();
    lateness = f.lateness();
  });
  rig.poll_at(at(17));
  EXPECT_EQ(started, at(17));
  EXPECT_EQ(lateness, 7ns);
}

// A thread that sees a time sees what was done before time moved there.
TEST(EngineClockManual, MayBeMovedByAnotherThread) {
  constexpr int steps = 1000;
  manual_clock clk;
  engine e({.manual = &clk});
  std::vector<char> done(steps + 1);
  int fired = 0;
  for (int i = 1; i <= steps; ++i) e.schedule_at(at(i), [&, i] { fired += done[static_cast<std::size_t>(i)]; });
  std::thread mover([&] {
    for (std::size_t i = 1; i <= steps; ++i) {
      done[i] = 1;
      clk.advance(1ns);
    }
  });
  EXPECT_TRUE(eventually([&] {
    e.poll();
    return fired == steps;
  }));
  mover.join();
}

TEST(EngineClockSteady, IsTheEnginesNow) {
  for (const clock_kind kind : {clock_kind::steady, clock_kind::automatic}) {
    engine e({.clock = kind});
    for (int i = 0; i != 1'000; ++i) {
      const time_point before = clock::now();
      const time_point now = e.now();
      EXPECT_LE(before, now);
      EXPECT_LE(now, clock::now());
    }
  }
}

TEST(EngineClock, IsReportedAndWhyIfTheDefaultIsNotTheTsc) {
  const auto reported = [](engine_options options) { return engine(std::move(options)).metrics().clock; };
  EXPECT_STREQ(reported({.clock = clock_kind::steady}).name, "steady");
  EXPECT_STREQ(reported({.clock = clock_kind::steady}).reason, "");
  manual_clock manual;
  EXPECT_STREQ(reported({.manual = &manual}).name, "manual");
  const clock_report by_default = reported({});
  EXPECT_STREQ(by_default.name, *by_default.reason == '\0' ? "tsc" : "steady");
}

// A delay counts from a fresh reading: whatever the engine last read, nothing comes early.
TEST(EngineClockSteady, CountsADelayFromTheCallThoughTheEngineWasBusy) {
  engine e({.clock = clock_kind::steady});
  std::atomic<bool> fired{false};
  std::atomic<std::int64_t> early{0};
  e.schedule_after(0ns, [&] {
    std::this_thread::sleep_for(5ms);  // real time, as this clock knows no other; a reading from before is as old
    const time_point due = clock::now() + 5ms;
    e.schedule_after(5ms, [&, due] {
      early += clock::now() < due ? 1 : 0;
      fired = true;
    });
  });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
  EXPECT_EQ(early.load(), 0);
}

// Whatever the clock: equal delays of a thread end in the order in which they began, and none is due at once.
TEST(EngineClock, KeepsTheOrderOfEqualDelays) {
  engine e({.drive = drive_kind::caller});
  int next = 0, disorder = 0;
  for (int rounds = 0; rounds != 50; ++rounds) {
    const int first = next;
    constexpr int timers = 20'000;
    for (int i = first; i != first + timers; ++i) {
      e.schedule_after(5ms, [&, i] {
        if (i != next++) ++disorder;
      });
    }
    while (next != first + timers) e.poll();
    e.schedule_after(0ns, [&] { ++next; });
    ASSERT_EQ(e.poll(), 1u) << "round " << rounds;
  }
  EXPECT_EQ(disorder, 0);
}

// The TSC clock, on machines that have one.
std::optional<engine> with_tsc(engine_options options) {
  options.clock = clock_kind::tsc;
  failure refused;
  std::optional<engine> made = engine::try_create(std::move(options), refused);
  if (!made) {
    EXPECT_EQ(refused, errc::invalid_option);
  }
  return made;
}

void expect_none_early(engine& e, bool polled) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::atomic<int> fired{0}, early{0};
  constexpr int timers = 2000;
  for (int i = 0; i < timers; ++i) {
    const time_point called = clock::now();
    const duration delay(static_cast<std::int64_t>(random() % 50'000'000));
    e.schedule_after(delay, [&, due = called + delay](firing& f) {
      const time_point now = clock::now();
      early += now < f.deadline() || now < due || f.started() < f.deadline() ? 1 : 0;
      ++fired;
    });
  }
  EXPECT_TRUE(eventually([&] {
    if (polled) e.poll();
    return fired.load() == timers;
  }));
  EXPECT_EQ(early.load(), 0);
}

TEST(EngineClockTsc, FiresNothingEarlyBySteadyClock) {
  for (wait_options wait : {wait_options::busy(), wait_options::hybrid(), wait_options::sleep()}) {
    std::optional<engine> e = with_tsc({.wait = wait});
    if (!e) GTEST_SKIP() << "no invariant TSC here";
    expect_none_early(*e, false);
  }
}

TEST(EngineClockTsc, FiresNothingEarlyWhenPolled) {
  std::optional<engine> e = with_tsc({.drive = drive_kind::caller});
  if (!e) GTEST_SKIP() << "no invariant TSC here";
  expect_none_early(*e, true);
}

}  // namespace
}  // namespace detent
