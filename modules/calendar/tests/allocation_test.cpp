// SPDX-License-Identifier: MIT
// A program of its own, whose allocations are counted.
#include <gtest/gtest.h>
#include <detent/schedule.hpp>

#include <chrono>
#include <vector>

#include "support.hpp"
#include "support/drive_allocations.hpp"

namespace detent::calendar_test {
namespace {

using namespace std::chrono_literals;

TEST(Schedule, NextAllocatesNothing) {
  const std::vector<schedule> all = {
      schedule::quartz("0 30 9 ? * MON-FRI", in("America/New_York")).only_on(day_set::weekdays()).shifted(-1min),
      schedule::quartz("0 0 0 29 2 ?", in("Europe/Berlin")), schedule::quartz("0 0 0 LW * ?"),
      schedule::unix_cron("*/5 * * * *", in("Africa/Casablanca"))};
  const std::uint64_t before = drive::allocations();
  std::size_t count = 0;
  for (const schedule& each : all) {
    for (std::optional<wall_time> next = at(2024, 1, 1); count % 16 != 15 && next; ++count) next = each.next(*next);
    ++count;
  }
  EXPECT_EQ(drive::allocations(), before);
  EXPECT_GE(count, 64u);
}

}  // namespace
}  // namespace detent::calendar_test
