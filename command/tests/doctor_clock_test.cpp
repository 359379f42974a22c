// SPDX-License-Identifier: MIT
// The findings of the doctor about the clocks of a host: each finding comes and goes, and names the cause that is
// there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "doctor/clock_probes.hpp"
#include "made_up_host.hpp"

namespace detent::tool {
namespace {

using DoctorOfClocks = test::made_up_host;

const std::string clocksource = "sys/devices/system/clocksource/clocksource0/";

TEST_F(DoctorOfClocks, DistinguishesAFastClockSourceFromASlowOne) {
  given(clocksource + "current_clocksource", "tsc\n");
  EXPECT_EQ(clock_source(host()).judged, severity::fine);
  given(clocksource + "current_clocksource", "hpet\n");
  given(clocksource + "available_clocksource", "tsc hpet acpi_pm\n");
  EXPECT_EQ(clock_source(host()).judged, severity::bad);
  EXPECT_TRUE(says(clock_source(host()), "'hpet'"));
  EXPECT_TRUE(says(clock_source(host()), "echo tsc > /" + clocksource));
  given(clocksource + "available_clocksource", "hpet acpi_pm\n");
  EXPECT_FALSE(says(clock_source(host()), "echo tsc"));
}

TEST_F(DoctorOfClocks, WantsTheTscBothConstantAndNonstop) {
  given(clocksource + "available_clocksource", "tsc kvm-clock\n");
  given("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu constant_tsc rdtscp nonstop_tsc\n");
  EXPECT_EQ(time_stamp_counter(host()).judged, severity::fine);
  given("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu constant_tsc rdtscp nonstop_tsc_s3\n");
  EXPECT_EQ(time_stamp_counter(host()).judged, severity::warning);
  EXPECT_TRUE(says(time_stamp_counter(host()), "no nonstop_tsc"));
  given("proc/cpuinfo", "processor\t: 0\nCPU architecture: 8\n");
  EXPECT_EQ(time_stamp_counter(host()).judged, severity::fine);
}

TEST_F(DoctorOfClocks, SeesATscThatTheKernelHasDropped) {
  given("proc/cpuinfo", "flags\t\t: constant_tsc nonstop_tsc\n");
  given(clocksource + "available_clocksource", "hpet acpi_pm\n");
  EXPECT_EQ(time_stamp_counter(host()).judged, severity::bad);
  EXPECT_TRUE(says(time_stamp_counter(host()), "gone unstable"));
  given(clocksource + "available_clocksource", "tsc hpet acpi_pm\n");
  EXPECT_EQ(time_stamp_counter(host()).judged, severity::fine);
}

TEST_F(DoctorOfClocks, NamesTheBootOptionThatTookTheTscAway) {
  given("proc/cpuinfo", "flags\t\t: constant_tsc nonstop_tsc hypervisor\n");
  given(clocksource + "current_clocksource", "hpet\n");
  given(clocksource + "available_clocksource", "hpet acpi_pm\n");
  for (const char* option : {"tsc=unstable", "notsc"}) {
    given("proc/cmdline", fmt::format("BOOT_IMAGE=/vmlinuz root=/dev/vda1 {} quiet\n", option));
    EXPECT_EQ(time_stamp_counter(host()).judged, severity::bad);
    EXPECT_TRUE(says(time_stamp_counter(host()), option));
    EXPECT_EQ(time_stamp_counter(host()).where, "/proc/cmdline");
    EXPECT_FALSE(says(time_stamp_counter(host()), "firmware"));
    EXPECT_FALSE(says(time_stamp_counter(host()), "gone unstable"));
    EXPECT_TRUE(says(clock_source(host()), option));
    EXPECT_FALSE(says(clock_source(host()), "prefer a host"));
  }
  // None of these is why.
  for (const char* line :
       {"quiet", "tsc=reliable", "tsc=unstable tsc=reliable", "xtsc=unstable", "init -- tsc=unstable"}) {
    given("proc/cmdline", line);
    EXPECT_TRUE(says(time_stamp_counter(host()), "gone unstable")) << line;
    EXPECT_TRUE(says(clock_source(host()), "prefer a host")) << line;
  }
}

TEST_F(DoctorOfClocks, NamesTheBootOptionThatChoseASlowClockSource) {
  given(clocksource + "current_clocksource", "hpet\n");
  given(clocksource + "available_clocksource", "kvm-clock hpet acpi_pm\n");
  EXPECT_TRUE(says(clock_source(host()), "echo kvm-clock > /" + clocksource));
  EXPECT_FALSE(says(clock_source(host()), "command line"));
  given("proc/cmdline", "quiet clocksource=hpet\n");
  EXPECT_TRUE(says(clock_source(host()), "clocksource=hpet"));
}

TEST_F(DoctorOfClocks, TakesAHypervisorsClockForAGoodOne) {
  for (const char* clock : {"kvm-clock", "hyperv_clocksource_tsc_page"}) {
    given(clocksource + "current_clocksource", clock);
    given(clocksource + "available_clocksource", fmt::format("{} acpi_pm\n", clock));
    EXPECT_EQ(clock_source(host()).judged, severity::fine);
    EXPECT_TRUE(says(clock_source(host()), clock));
    for (const char* flags :
         {"flags\t\t: constant_tsc nonstop_tsc\n", "flags\t\t: constant_tsc\n", "flags\t\t: tsc\n"}) {
      given("proc/cpuinfo", flags);
      for (const char* line : {"quiet", "tsc=unstable"}) {
        given("proc/cmdline", line);
        const finding found = time_stamp_counter(host());
        EXPECT_EQ(found.judged, severity::note) << flags << line;
        EXPECT_FALSE(says(found, "firmware"));
        EXPECT_FALSE(says(found, "gone unstable"));
      }
    }
  }
}

}  // namespace
}  // namespace detent::tool
