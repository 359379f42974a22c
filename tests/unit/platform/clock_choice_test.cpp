// SPDX-License-Identifier: MIT
#include "platform/clock_choice.hpp"

#include "platform/tsc_clock.hpp"
#include "support/counters_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace detent::detail {
namespace {

class ClockChoice : public ::testing::Test {
 protected:
  clock_choice chosen(clock_kind kind, const std::string& source) {
    const std::string file = folder_ / "current_clocksource";
    std::ofstream(file) << source;
    return choose_clock({.clock = kind}, file.c_str());
  }
  drive::scratch_folder folder_;
};

// Only what steady_clock itself is read from is known to be the same on all cores.
TEST_F(ClockChoice, IsTheTscWhereTheKernelHasChosenItToo) {
  if (tsc_clock::shared() == nullptr) GTEST_SKIP() << "the TSC of this machine is not invariant";
  EXPECT_EQ(chosen(clock_kind::automatic, "tsc\n").tsc, tsc_clock::shared());
  EXPECT_EQ(chosen(clock_kind::automatic, "tsc\n").why, clock_reason::none);
  for (const char* other : {"hpet\n", "acpi_pm\n", "tsc-early\n", "kvm-clock\n"}) {
    EXPECT_EQ(chosen(clock_kind::automatic, other).tsc, nullptr) << other;
    EXPECT_EQ(chosen(clock_kind::automatic, other).why, clock_reason::other_source) << other;
  }
  EXPECT_EQ(chosen(clock_kind::automatic, "").why, clock_reason::unknown_source);
  EXPECT_EQ(choose_clock({}, "/nowhere/at/all").why, clock_reason::unknown_source);
  EXPECT_EQ(choose_clock({}, "/nowhere/at/all").tsc, nullptr);
}

TEST_F(ClockChoice, IsWhatWasAskedForElse) {
  EXPECT_EQ(chosen(clock_kind::steady, "tsc\n").tsc, nullptr);
  EXPECT_EQ(chosen(clock_kind::tsc, "hpet\n").tsc, tsc_clock::shared());
  EXPECT_EQ(chosen(clock_kind::steady, "hpet\n").why, clock_reason::none);
  manual_clock time;
  EXPECT_EQ(choose_clock({.manual = &time}).tsc, nullptr);
  EXPECT_EQ(choose_clock({.manual = &time}).why, clock_reason::none);
}

}  // namespace
}  // namespace detent::detail
