// SPDX-License-Identifier: MIT
#include "timer/periodic.hpp"

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

cold_part fixed_rate(nanoseconds_t first, nanoseconds_t period, missed_ticks policy = missed_ticks::skip) {
  return {.grid = first, .period = period, .kind = period_kind::fixed_rate, .missed_policy = policy};
}

// Runs a timer as the engine does: armed at the rounded grid, started at the times given.
struct timeline {
  cold_part cold;
  tick_grid ticks{1};
  nanoseconds_t armed = ticks.round_up(cold.grid);

  period_run start_at(nanoseconds_t started) {
    period_run run = begin_period(cold, armed, started, ticks);
    armed = ticks.round_up(next_period(cold, [&] { return nanoseconds_t{started}; }));
    return run;
  }
};

void expect_run(const period_run& run, nanoseconds_t deadline, std::uint64_t missed) {
  EXPECT_EQ(run.deadline, deadline);
  EXPECT_EQ(run.missed, missed);
}

TEST(PeriodicBoundary, OfOneNanosecondIsMissedByOneNanosecond) {
  cold_part cold{.grid = 100, .period = 1, .kind = period_kind::fixed_rate};
  const period_run run = begin_period(cold, 100, 101, tick_grid(1));
  EXPECT_EQ(run.deadline, 101);
  EXPECT_EQ(run.missed, 1u);
  EXPECT_EQ(cold.grid, 102);
}

TEST(FixedRate, SkipsToTheLatestDuePeriodAndReportsHowManyItSkipped) {
  timeline timer{fixed_rate(1'000, 100)};
  expect_run(timer.start_at(1'099), 1'000, 0);
  expect_run(timer.start_at(1'399), 1'300, 2);
  EXPECT_EQ(timer.armed, 1'400);
  expect_run(timer.start_at(1'500), 1'500, 1);  // due at its very start
  EXPECT_EQ(timer.armed, 1'600);
}

TEST(FixedRate, BurstsThroughEveryMissedPeriod) {
  timeline timer{fixed_rate(1'000, 100, missed_ticks::burst)};
  for (nanoseconds_t deadline : {1'000, 1'100, 1'200, 1'300}) expect_run(timer.start_at(1'350), deadline, 0);
  EXPECT_EQ(timer.armed, 1'400);
}

// 35 has begun at 39, but its rounded deadline, 40, has not come.
TEST(FixedRate, SkipsOnlyPeriodsWhoseRoundedDeadlineHasCome) {
  timeline early{fixed_rate(5, 15), tick_grid(10)}, late = early;
  expect_run(early.start_at(39), 20, 1);
  EXPECT_EQ(early.armed, 40);
  expect_run(late.start_at(40), 40, 2);
  EXPECT_EQ(late.armed, 50);
}

TEST(FixedRate, IsAnchoredAgainWhereItWasRestarted) {
  for (nanoseconds_t to : {1'700, 950}) {
    timeline timer{fixed_rate(1'000, 100)};
    timer.armed = to;
    expect_run(timer.start_at(to), to, 0);
    EXPECT_EQ(timer.armed, to + 100);
    expect_run(timer.start_at(to + 310), to + 300, 2);
    EXPECT_EQ(timer.armed, to + 400);
  }
}

}  // namespace
}  // namespace detent::detail
