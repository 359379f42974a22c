// SPDX-License-Identifier: MIT
#include "lateness/pending_series.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace detent::tool {
namespace {

TEST(PendingSeries, KeepsTheHighestCountOfEachStep) {
  pending_series series;
  for (std::uint64_t t = 0; t < 100'000; ++t) series.add(t, t == 70'000 ? 9 : 1);
  EXPECT_EQ(series.highest(), 9U);
  EXPECT_LE(series.points().size(), 1024U);
  EXPECT_GT(series.points().size(), 500U);
  for (const auto& [t, pending] : series.points()) {
    EXPECT_EQ(pending == 9, t <= 70'000 && 70'000 < t + series.step_ns()) << t;
  }
}

TEST(PendingSeries, ReachesTheEndOfTime) {
  constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  pending_series series;
  series.add(0, 3);
  series.add(end, 5);
  ASSERT_EQ(series.points().size(), 2U);
  EXPECT_EQ(series.points()[0].pending, 3U);
  EXPECT_EQ(series.points()[1].pending, 5U);
  EXPECT_EQ(series.end_ns(), end);
}

}  // namespace
}  // namespace detent::tool
