// SPDX-License-Identifier: MIT
// Tests how much the runs of a calendar's timers allocate.
#include "support/drive_allocations.hpp"
#include "virtual_calendar.hpp"

#include <gtest/gtest.h>

namespace detent::calendar_test {
namespace {

TEST(Calendar, AllocatesNothingARun) {
  virtual_calendar test;
  int runs = 0;
  test.timers.schedule_on(schedule::quartz("0 0 * * * ?"), [&] { ++runs; });
  test.go_on_for(hours(100));
  const std::uint64_t before = drive::allocations();
  test.go_on_for(hours(1000));
  EXPECT_EQ(drive::allocations(), before);
  EXPECT_EQ(runs, 1100);
}

}  // namespace
}  // namespace detent::calendar_test
