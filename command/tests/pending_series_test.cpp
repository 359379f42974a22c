// SPDX-License-Identifier: MIT
#include "lateness/pending_series.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace detent::tool
