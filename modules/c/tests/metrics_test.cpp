// SPDX-License-Identifier: MIT
// Each figure of an engine's metrics arrives in C, tested one by one.
#include "metrics.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "counters/histogram_recorder.hpp"

namespace detent::c {
namespace {

struct figure {
  std::uint64_t engine_metrics::*ours;
  std::uint64_t detent_metrics::*theirs;
};
constexpr figure figures[] = {{&engine_metrics::scheduled, &detent_metrics::scheduled},
                              {&engine_metrics::expired, &detent_metrics::expired},
                              {&engine_metrics::cancelled, &detent_metrics::cancelled},
                              {&engine_metrics::returned, &detent_metrics::returned},
                              {&engine_metrics::dropped, &detent_metrics::dropped},
                              {&engine_metrics::pending, &detent_metrics::pending},
                              {&engine_metrics::fired, &detent_metrics::fired},
                              {&engine_metrics::restarted, &detent_metrics::restarted},
                              {&engine_metrics::refused, &detent_metrics::refused},
                              {&engine_metrics::failed, &detent_metrics::failed},
                              {&engine_metrics::boxed, &detent_metrics::boxed},
                              {&engine_metrics::wakeups, &detent_metrics::wakeups},
                              {&engine_metrics::drains, &detent_metrics::drains},
                              {&engine_metrics::drained, &detent_metrics::drained},
                              {&engine_metrics::rings, &detent_metrics::rings},
                              {&engine_metrics::backlog, &detent_metrics::backlog},
                              {&engine_metrics::retired, &detent_metrics::retired},
                              {&engine_metrics::missed, &detent_metrics::missed},
                              {&engine_metrics::over_capacity, &detent_metrics::over_capacity}};

TEST(CMetrics, AreEachTheEnginesOwn) {
  engine_metrics seen;
  std::uint64_t number = 0;
  for (const figure& each : figures) seen.*each.ours = ++number;
  const detent_metrics reported = translate(seen);
  for (const figure& each : figures) EXPECT_EQ(reported.*each.theirs, seen.*each.ours) << "number " << seen.*each.ours;
  for (const std::uint64_t each : reported.reserved) EXPECT_EQ(each, 0u);
}

TEST(CMetrics, OfLatenessAreThoseOfTheHistogram) {
  struct {
    int times;
    std::int64_t value;
  } const recorded[] = {{1000, 20}, {800, 40}, {180, 60}, {18, 80}, {2, 100}};
  auto recorder = std::make_unique<detail::histogram_recorder>();
  for (const auto& each : recorded) {
    for (int i = 0; i < each.times; ++i) recorder->record(each.value, true);
  }
  engine_metrics seen;
  seen.lateness = recorder->snapshot();
  const detent_metrics reported = translate(seen);
  EXPECT_EQ(reported.lateness_count, 2000u);
  EXPECT_EQ(reported.lateness_p50, 20);
  EXPECT_EQ(reported.lateness_mean, 32);
  EXPECT_EQ(reported.lateness_p90, 40);
  EXPECT_EQ(reported.lateness_p99, 60);
  EXPECT_EQ(reported.lateness_p999, 80);
  EXPECT_EQ(reported.lateness_max, 100);
}

}  // namespace
}  // namespace detent::c
