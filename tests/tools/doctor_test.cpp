// SPDX-License-Identifier: MIT
#include "doctor.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cpu_quota.hpp"
#include "host_probes.hpp"
#include "temporary_directory.hpp"

namespace detent::tool {
namespace {

constexpr const char* cpu_directory = "sys/devices/system/cpu";

class doctor_on_a_made_up_host : public testing::Test {
 protected:
  void given(std::string_view file, std::string_view content) { directory.write(file, content); }
  host_files host() const { return host_files(directory.path()); }

  test::temporary_directory directory;
};
using Doctor = doctor_on_a_made_up_host;

TEST_F(Doctor, ReportsWhatItCannotSeeAndNeverFails) {
  for (const finding& each : probe_host(host())) {
    EXPECT_EQ(each.judged, verdict::unknown) << each.subject;
    EXPECT_TRUE(each.measured.starts_with("not visible here")) << each.subject;
  }
}

TEST_F(Doctor, SurvivesFilesFullOfNonsense) {
  for (const char* file :
       {"proc/cpuinfo", "proc/self/limits", "proc/self/cgroup", "proc/self/timerslack_ns",
        "proc/sys/kernel/sched_rt_runtime_us", "sys/kernel/mm/transparent_hugepage/enabled", "sys/fs/cgroup/cpu.max",
        "sys/devices/system/clocksource/clocksource0/current_clocksource"}) {
    given(file, std::string(100'000, ':') + "\n][ :/0::/ Max locked memory\nMax locked memory\nflags\n");
  }
  EXPECT_EQ(probe_host(host()).size(), 9U);
}

TEST_F(Doctor, TellsAFastClockSourceFromASlowOne) {
  const std::string clocksource = "sys/devices/system/clocksource/clocksource0/";
  given(clocksource + "current_clocksource", "tsc\n");
  EXPECT_EQ(clock_source(host()).judged, verdict::fine);
  given(clocksource + "current_clocksource", "hpet\n");
  given(clocksource + "available_clocksource", "tsc hpet acpi_pm\n");
  EXPECT_EQ(clock_source(host()).judged, verdict::act);
  EXPECT_NE(clock_source(host()).advice.find("echo tsc"), std::string::npos);
}

TEST_F(Doctor, WantsTheTscBothConstantAndNonstop) {
  given("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu constant_tsc rdtscp nonstop_tsc\n");
  EXPECT_EQ(invariant_tsc(host()).judged, verdict::fine);
  given("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu constant_tsc rdtscp nonstop_tsc_s3\n");
  EXPECT_EQ(invariant_tsc(host()).judged, verdict::act);
  given("proc/cpuinfo", "processor\t: 0\nCPU architecture: 8\n");
  EXPECT_EQ(invariant_tsc(host()).judged, verdict::fine);
}

TEST_F(Doctor, WantsThePerformanceGovernorOnEveryCpu) {
  given(std::string(cpu_directory) + "/cpu0/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(frequency_governor(host()).judged, verdict::fine);
  given(std::string(cpu_directory) + "/cpu1/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(frequency_governor(host()).judged, verdict::act);
  EXPECT_EQ(frequency_governor(host()).measured, "performance on 1 CPU, powersave on 1 CPU");
}

TEST_F(Doctor, SeesIsolatedCpus) {
  given(std::string(cpu_directory) + "/isolated", "\n");
  EXPECT_EQ(isolated_cpus(host()).judged, verdict::act);
  given(std::string(cpu_directory) + "/isolated", "2-3\n");
  EXPECT_EQ(isolated_cpus(host()).judged, verdict::fine);
}

TEST_F(Doctor, WarnsOfRealTimeThrottlingUnlessItIsOff) {
  given("proc/sys/kernel/sched_rt_period_us", "1000000\n");
  given("proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  EXPECT_EQ(realtime_throttling(host()).judged, verdict::act);
  EXPECT_NE(realtime_throttling(host()).advice.find("stopped for 50 ms"), std::string::npos);
  given("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
  EXPECT_EQ(realtime_throttling(host()).judged, verdict::fine);
}

TEST_F(Doctor, ReadsTheChosenHugePageMode) {
  const char* file = "sys/kernel/mm/transparent_hugepage/enabled";
  given(file, "always [madvise] never\n");
  EXPECT_EQ(transparent_huge_pages(host()).measured, "madvise");
  EXPECT_EQ(transparent_huge_pages(host()).judged, verdict::fine);
  given(file, "always madvise [never]\n");
  EXPECT_EQ(transparent_huge_pages(host()).judged, verdict::act);
}

TEST_F(Doctor, JudgesTheLockedMemoryLimit) {
  const auto limits = [this](const char* soft) {
    given("proc/self/limits",
          std::string("Limit Soft Hard Units\nMax locked memory     ") + soft + "    unlimited  bytes\n");
    return locked_memory_limit(host());
  };
  EXPECT_EQ(limits("65536").judged, verdict::act);
  EXPECT_EQ(limits("65536").measured, "64 KiB");
  EXPECT_EQ(limits("unlimited").judged, verdict::fine);
  EXPECT_EQ(limits("1073741824").judged, verdict::fine);
}

TEST_F(Doctor, FindsTheTightestQuotaOfTheGroupAndItsParents) {
  given("proc/self/cgroup", "0::/pod/worker\n");
  given("sys/fs/cgroup/pod/worker/cpu.max", "max 100000\n");
  EXPECT_EQ(container_quota(host()).judged, verdict::fine);
  given("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  EXPECT_EQ(container_quota(host()).measured, "1.5 CPUs");
  given("sys/fs/cgroup/pod/worker/cpu.max", "50000 100000\n");
  EXPECT_EQ(container_quota(host()).measured, "0.5 CPUs");
  EXPECT_EQ(container_quota(host()).judged, verdict::act);
}

TEST_F(Doctor, ReadsTheOlderKindOfQuotaToo) {
  given("proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n");
  given("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  given("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(container_quota(host()).judged, verdict::fine);
  given("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(container_quota(host()).measured, "2 CPUs");
}

TEST_F(Doctor, SaysFineOrWhatToDoOnEachLine) {
  const std::string text = doctor_text({fine("a", "1"), act("b", "2", "do this"), not_visible("c")});
  EXPECT_NE(text.find("fine     a  1"), std::string::npos) << text;
  EXPECT_NE(text.find("act      b  2\n           do this\n"), std::string::npos) << text;
  EXPECT_NE(text.find("c  not visible here"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 3 cost precision"), std::string::npos) << text;
}

TEST_F(Doctor, MeasuresThisVeryHost) {
  const auto findings = examine(host_files(), std::chrono::milliseconds(20));
  EXPECT_EQ(findings.size(), 13U);
  for (const finding& each : findings) {
    EXPECT_FALSE(each.measured.empty()) << each.subject;
    EXPECT_EQ(each.advice.empty(), each.judged != verdict::act) << each.subject;
  }
}

}  // namespace
}  // namespace detent::tool
