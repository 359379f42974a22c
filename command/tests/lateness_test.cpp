// SPDX-License-Identifier: MIT
// Lateness of timers, over time and by cause.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lateness/lateness_causes.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/lateness_series.hpp"
#include "lateness/pending_series.hpp"

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

TEST(LatenessLog, KeepsEveryPercentileWithinOnePercent) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> lateness(12, 4);
  lateness_log log;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(static_cast<std::int64_t>(std::min(lateness(random), 9e18)));
    log.record(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double p : {1.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(std::lround(p * 100)) - 1]);
    EXPECT_NEAR(static_cast<double>(log.percentile(p)), exact, exact / 100) << p;
  }
}

TEST(LatenessLog, HoldsTheWholeRange) {
  constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
  lateness_log log;
  log.record(longest);
  log.record(-5);
  EXPECT_EQ(log.max(), longest);
  EXPECT_EQ(log.percentile(50), 0);
  EXPECT_EQ(log.percentile(100), longest);
}

TEST(LatenessSeries, GrowsBeyondWhatWasExpectedAndLosesNothing) {
  lateness_series series(1000);
  for (int t = 0; t < 100'000; t += 10) series.record(t, t);
  std::uint64_t count = 0, end = 0;
  for (const auto& each : series.points()) {
    EXPECT_GE(each.t_ns, end);
    end = each.t_ns + series.step_ns();
    count += each.count;
    EXPECT_GE(each.max, static_cast<std::int64_t>(each.t_ns));
    EXPECT_LT(each.max, static_cast<std::int64_t>(end));
    EXPECT_LE(each.p50, each.p99);
    EXPECT_LE(each.p99, each.max);
  }
  EXPECT_EQ(count, 10'000U);
}

TEST(PendingSeries, KeepsTheHighestCountOfEachStep) {
  pending_series series;
  for (std::uint64_t t = 0; t < 100'000; ++t) series.add(t, t == 70'000 ? 9 : 1);
  EXPECT_EQ(series.highest(), 9U);
  EXPECT_LE(series.points().size(), 1024U);
  EXPECT_GT(series.points().size(), 500U);
  for (const auto& [t, pending] : series.points())
    EXPECT_EQ(pending == 9, t <= 70'000 && 70'000 < t + series.step_ns()) << t;
}

lateness_log log_with(std::uint64_t zeros, std::int64_t value, std::uint64_t times) {
  lateness_log out;
  if (zeros != 0) out.record(0, zeros);
  if (times != 0) out.record(value, times);
  return out;
}

lateness_causes made_up() {
  // The wait made each of 1,000 timers late by 100 ns; two of them waited 20 us each for another callback.
  return lateness_causes::of(
      {log_with(1000, 0, 0), log_with(0, 100, 1000), log_with(998, 20'000, 2), log_with(1000, 0, 0)}, {});
}

TEST(LatenessCauses, ShareOutTheTimeLost) {
  const lateness_causes causes = made_up();
  EXPECT_NEAR(causes.parts[1].of_all, 100'000.0 / 140'000, 0.005);
  EXPECT_NEAR(causes.parts[2].of_all, 40'000.0 / 140'000, 0.005);
  EXPECT_DOUBLE_EQ(causes.parts[1].affected, 1);
  EXPECT_DOUBLE_EQ(causes.parts[2].affected, 0.002);
  EXPECT_EQ(causes.largest().name, "wait");
}

TEST(LatenessCauses, AnswerInWordsWithFigures) {
  const std::string said = why_late(made_up(), log_with(0, 100, 1000), log_with(0, 30, 9), log_with(0, 60'000, 9));
  for (const char* words : {"Half of the timers began within 100 ns", "71.4 % went by while the driver waited",
                            "a bare spin loop was 30 ns late", "a bare clock_nanosleep 60 us"})
    EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
}

TEST(LatenessCauses, AreThoseOfTheEnginesMetrics) {
  manual_clock clock;
  engine engine({.manual = &clock});
  for (int i = 0; i < 300; ++i) engine.schedule_after(10ms, [] {});
  engine.schedule_after(10ms, [&] { clock.advance(7ms); });
  engine.schedule_after(11ms, [] {});
  engine.poll();  // poll() takes them up
  clock.advance(10ms + 3us);
  while (engine.poll() != 0) {
  }
  const lateness_causes causes = lateness_causes::of(engine.metrics());
  EXPECT_EQ(causes.parts[1].log.count(), 302U);
  EXPECT_NEAR(static_cast<double>(causes.parts[1].log.percentile(50)), 3000, 30);
  EXPECT_NEAR(static_cast<double>(causes.parts[2].log.max()), 6'003'000, 60'000);
  EXPECT_EQ(causes.callback.count(), 302U);
  EXPECT_EQ(causes.callback.max(), 7'000'000);
  EXPECT_EQ(causes.largest().name, "worker");
}

}  // namespace
}  // namespace detent::tool
