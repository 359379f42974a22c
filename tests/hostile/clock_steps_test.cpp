// SPDX-License-Identifier: MIT
// Clocks that step under a running engine: the wall clock to and fro, the steady clock as around a suspend. And a
// steady clock that is slewed.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <utility>

#include "hostile/faked_clocks.hpp"
#include "support/drive_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using hostile::freeze_steady_clock;
using hostile::jump_steady_clock;
using hostile::slew_steady_clock;
using hostile::step_wall_clock;
using hostile::thaw_steady_clock;

// Waits by a clock that is not bent.
void pass(std::chrono::milliseconds span) {
  timespec wait{span / 1s, span % 1s / 1ns};
  nanosleep(&wait, nullptr);
}

bool can_run(clock_kind kind) {
  failure problem;
  return engine::try_create({.drive = drive_kind::caller, .clock = kind}, problem).has_value();
}

class ClockSteps : public ::testing::TestWithParam<clock_kind> {
 protected:
  void SetUp() override {
    if (!can_run(GetParam())) GTEST_SKIP() << "this machine has no such clock";
  }
  // A delay counts from the call, by the steady clock.
  static bool fires_no_sooner_than(engine& e, duration delay) {
    std::atomic<std::int64_t> fired_at{0};
    const time_point called = clock::now();
    e.schedule_after(delay, [&] { fired_at = clock::now().time_since_epoch().count(); });
    EXPECT_TRUE(eventually([&] { return fired_at != 0; }));
    return time_point(duration(fired_at.load())) >= called + delay;
  }
};
INSTANTIATE_TEST_SUITE_P(Clocks, ClockSteps, ::testing::Values(clock_kind::steady, clock_kind::tsc),
                         [](const auto& each) { return each.param == clock_kind::tsc ? "tsc" : "steady"; });

TEST_P(ClockSteps, OfTheWallClockMoveNothingAndNobodyReadsIt) {
  std::atomic<int> fired{0}, early{0};
  engine e({.clock = GetParam()});
  const std::uint64_t before = hostile::wall_clock_readings();
  for (int i = 0; i < 100; ++i) {
    e.schedule_after(i * 1ms, [&](firing& f) {
      ++fired;
      if (f.lateness() < 0ns || f.started() < f.deadline()) ++early;
    });
  }
  std::atomic<int> soon{0};
  e.schedule_after(1h, [&] { ++soon; });
  for (const auto by : {3600s, -7200s, 86'400s, -1'000'000s}) {
    step_wall_clock(by);
    pass(10ms);
  }
  while (fired != 100) pass(1ms);
  EXPECT_EQ(early, 0);
  EXPECT_EQ(soon, 0);
  e.stop();
  EXPECT_EQ(hostile::wall_clock_readings(), before);
}

TEST_P(ClockSteps, OfTheSteadyClockForwardMakeDueWhatTheyPassInOrder) {
  std::atomic<int> fired{0}, disorder{0}, early{0}, periodic{0};
  std::atomic<std::uint64_t> missed{0};
  engine e({.clock = GetParam()});
  const time_point begin = e.now();
  for (int i = 99; i >= 0; --i) {
    e.schedule_at(begin + 1h + i * 1us, [&, i](firing& f) {
      if (fired++ != i) ++disorder;
      if (f.started() < f.deadline()) ++early;
    });
  }
  e.schedule_at_fixed_rate(1s, 1s, [&](firing& f) {
    ++periodic;
    missed += f.missed();
  });
  std::atomic<bool> taken_up{false};
  e.schedule_after(0ns, [&] { taken_up = true; });
  while (!taken_up) pass(1ms);
  jump_steady_clock(2h);
  e.schedule_after(0ns, [] {});  // what a resumed machine does by itself: its kernel finds the timeouts passed
  EXPECT_TRUE(eventually([&] { return fired == 100 && periodic > 0; }));
  EXPECT_EQ(disorder, 0);
  EXPECT_EQ(early, 0);
  EXPECT_LE(periodic, 30) << "a burst";
  EXPECT_GE(missed + static_cast<std::uint64_t>(periodic), 7200u);
}

// CLOCK_MONOTONIC does not count a suspend, the processor's counter may.
TEST_P(ClockSteps, OfASuspendHaveNothingFireEarly) {
  engine e({.clock = GetParam()});
  EXPECT_TRUE(fires_no_sooner_than(e, 20ms));
  pass(300ms);
  std::atomic<bool> fired{false};
  std::atomic<int> early{0};
  e.schedule_after(500ms, [&](firing& f) {
    if (f.started() < f.deadline() || clock::now() < f.deadline()) ++early;
    fired = true;
  });
  freeze_steady_clock();
  pass(900ms);
  EXPECT_FALSE(fired);
  thaw_steady_clock();
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
  EXPECT_EQ(early, 0);
  // More than a second of them: the fit of a TSC clock is checked once a second.
  for (int i = 0; i < 120; ++i) ASSERT_TRUE(fires_no_sooner_than(e, 10ms)) << "delay " << i;
}

// Polled without a rest, so that nothing but the clock decides when a delay ends. A rate is measured over a second: in
// 2.2 of them there is one that was slewed from its beginning to its end.
TEST_P(ClockSteps, OfTheRateWithin500PpmShortenNoDelay) {
  engine e({.drive = drive_kind::caller, .clock = GetParam()});
  int early = 0;
  const auto delays_for = [&](std::chrono::milliseconds span) {
    for (const time_point end = clock::now() + span; clock::now() < end;) {
      bool fired = false;
      const time_point due = clock::now() + 200us;
      e.schedule_after(200us, [&] {
        if (clock::now() < due) ++early;
        fired = true;
      });
      while (!fired) e.poll();
    }
  };
  for (const auto& [ppm, span] : {std::pair(500, 300ms), {-500, 2'200ms}, {500, 300ms}, {-500, 300ms}}) {
    slew_steady_clock(ppm);
    delays_for(span);
  }
  for (int changes = 0; changes != 300; ++changes) {
    slew_steady_clock(changes % 2 == 0 ? 500 : -500);
    delays_for(1ms);
  }
  slew_steady_clock(0);
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace detent
