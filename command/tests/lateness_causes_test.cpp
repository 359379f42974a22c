// SPDX-License-Identifier: MIT
#include "lateness/lateness_causes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

lateness_log log_with(std::uint64_t zeros, std::int64_t value, std::uint64_t times) {
  lateness_log out;
  if (zeros != 0) out.record(0, zeros);
  if (times != 0) out.record(value, times);
  return out;
}

lateness_causes made_up() {
  // Of 1,000 timers the wait made all late by 100 ns; two waited for another callback, 20 us each.
  return lateness_causes::of(
      {log_with(1000, 0, 0), log_with(0, 100, 1000), log_with(998, 20'000, 2), log_with(1000, 0, 0)}, {});
}

TEST(LatenessCauses, ShareOutTheTimeLost) {
  const lateness_causes causes = made_up();
  EXPECT_NEAR(causes.parts[1].of_all, 100'000.0 / 140'000, 0.005);
  EXPECT_NEAR(causes.parts[2].of_all, 40'000.0 / 140'000, 0.005);
  EXPECT_NEAR(causes.parts[1].of_worst, 1000.0 / 41'000, 0.005);
  EXPECT_NEAR(causes.parts[2].of_worst, 40'000.0 / 41'000, 0.005);
  EXPECT_DOUBLE_EQ(causes.parts[1].affected, 1);
  EXPECT_DOUBLE_EQ(causes.parts[2].affected, 0.002);
  EXPECT_EQ(causes.largest().name, "wait");
  EXPECT_EQ(causes.largest_of_worst().name, "worker");
}

TEST(LatenessCauses, AnswerInWordsWithFigures) {
  const std::string said = why_late(made_up(), log_with(0, 100, 1000), log_with(0, 30, 9), log_with(0, 60'000, 9));
  for (const char* words : {"Half of the timers began within 100 ns", "71.4 % went by while the worker slept",
                            "in the worst 1 %, 97.6 % went by while the worker was busy",
                            "a bare spin loop was 30 ns late", "a bare clock_nanosleep 60 us"})
    EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
}

TEST(LatenessCauses, AreThoseOfTheEnginesMetrics) {
  manual_clock clock;
  engine engine({.manual = &clock});
  for (int i = 0; i < 300; ++i) engine.schedule_after(10ms, [] {});
  engine.schedule_after(10ms, [&] { clock.advance(7ms); });
  engine.schedule_after(11ms, [] {});
  engine.poll();  // takes them up
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
