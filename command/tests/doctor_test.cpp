// SPDX-License-Identifier: MIT
// What the doctor says to settings of a host: each finding comes and goes.
#include "doctor/doctor.hpp"

#include <gtest/gtest.h>

#include <string>

#include "doctor/cpu_quota.hpp"
#include "doctor/host_probes.hpp"
#include "doctor/jitter_probes.hpp"
#include "doctor/realtime_probes.hpp"
#include "doctor/worker_cpu.hpp"
#include "host/cpu_list.hpp"
#include "made_up_host.hpp"

namespace detent::tool {
namespace {

using test::about;
using Doctor = test::made_up_host;

const worker_facts everything = {.cpu = 3, .priority = 50, .wait = wait_options::kind::busy};

const std::string clocksource = "sys/devices/system/clocksource/clocksource0/";
const std::string cpus = "sys/devices/system/cpu/";
const std::string huge_pages = "sys/kernel/mm/transparent_hugepage/";

TEST_F(Doctor, SaysWhatItCannotSeeAndNeverFails) {
  host_watch watch(everything, host());
  watch.look();
  const auto findings = watch.findings();
  EXPECT_GE(findings.size(), 14U);
  for (const finding& each : findings) {
    EXPECT_EQ(each.judged, severity::unknown) << each.subject;
    EXPECT_NE(each.where, "") << each.subject;
  }
}

TEST_F(Doctor, SaysWhichFilesAreFullOfNonsense) {
  std::string nonsense(10'000, ':');
  nonsense += "\n][ \xff\x1b[2J :/0::x Max locked memory\nCPU architecture\n";
  for (const char* file :
       {"proc/cpuinfo", "proc/self/limits", "proc/self/cgroup", "proc/self/timerslack_ns", "proc/self/status",
        "proc/sys/kernel/sched_rt_runtime_us", "proc/sys/kernel/sched_rt_period_us", "proc/sys/kernel/osrelease",
        "proc/interrupts", "proc/stat", "proc/uptime", "proc/irq/7/smp_affinity_list", "proc/1/task/1/stat",
        "proc/1/task/1/status", "proc/1/task/1/schedstat", "sys/fs/cgroup/cpu.max", "sys/fs/cgroup/cpu.stat"}) {
    given(file, nonsense);
  }
  for (const char* file :
       {"isolated", "online", "nohz_full", "cpu0/cpufreq/scaling_governor", "cpu3/cpuidle/state0/name"})
    given(cpus + file, nonsense);
  for (const char* file : {"enabled", "defrag"}) given(huge_pages + file, nonsense);
  for (const char* file : {"current_clocksource", "available_clocksource"}) given(clocksource + file, nonsense);
  host_watch watch(everything, host());
  watch.look();
  int understood = 0;
  for (const finding& each : watch.findings()) {
    EXPECT_EQ(each.judged, severity::unknown) << each.subject << ": " << each.seen;
    if (!each.seen.starts_with("not understood: '")) ++understood;
    EXPECT_EQ(doctor_text({each}).find('\x1b'), std::string::npos) << each.subject;
  }
  EXPECT_LE(understood, 2);  // no thread makes sense, and no statistics of a group are found
}

TEST_F(Doctor, WantsThePerformanceGovernorOnEveryCpu) {
  given(cpus + "cpu0/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(frequency_governor(host()).judged, severity::fine);
  given(cpus + "cpu1/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(frequency_governor(host()).judged, severity::warning);
  EXPECT_EQ(frequency_governor(host()).seen, "performance on 1 CPU, powersave on 1 CPU");
}

TEST_F(Doctor, WarnsOfRealTimeThrottlingUnlessItIsOff) {
  given("proc/sys/kernel/sched_rt_period_us", "1000000\n");
  given("proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  EXPECT_EQ(realtime_throttling(host(), everything).judged, severity::bad);
  EXPECT_TRUE(says(realtime_throttling(host(), everything), "stopped for 50 ms"));
  EXPECT_EQ(realtime_throttling(host(), {.priority = 50, .wait = wait_options::kind::hybrid}).judged, severity::note);
  EXPECT_EQ(realtime_throttling(host(), {.wait = wait_options::kind::busy}).judged, severity::note);
  given("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
  EXPECT_EQ(realtime_throttling(host(), everything).judged, severity::fine);
  given("proc/sys/kernel/sched_rt_runtime_us", "1000000\n");
  EXPECT_EQ(realtime_throttling(host(), everything).judged, severity::fine);
}

TEST_F(Doctor, ChecksForAFairServerWhereTheKernelHasOne) {
  const std::string file = "sys/kernel/debug/sched/fair_server/cpu3/runtime";
  given(file, "50000000\n");
  given("proc/sys/kernel/osrelease", "6.11.9\n");
  EXPECT_EQ(realtime_findings(host(), everything).size(), 2U);
  for (const char* release : {"6.12.0-rt", "6.18.44-something", "7.0.0"}) {
    given("proc/sys/kernel/osrelease", release);
    ASSERT_EQ(realtime_findings(host(), everything).size(), 3U) << release;
  }
  EXPECT_EQ(about(realtime_findings(host(), everything), "fair server").judged, severity::warning);
  EXPECT_EQ(fair_server(host(), {.cpu = 3, .priority = 50}).judged, severity::note);
  given(file, "0\n");
  EXPECT_EQ(fair_server(host(), everything).judged, severity::fine);
  EXPECT_EQ(realtime_findings(host(), {.cpu = 3}).size(), 1U);
}

TEST_F(Doctor, AsksWhetherTheProcessMayHaveThePriority) {
  given("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
  given("proc/self/limits", "Max realtime priority     0      0     \n");
  EXPECT_EQ(realtime_permission(host(), everything).judged, severity::bad);
  EXPECT_TRUE(says(realtime_permission(host(), everything), "ulimit -r 50"));
  given("proc/self/limits", "Max realtime priority     50      99     \n");
  EXPECT_EQ(realtime_permission(host(), everything).judged, severity::fine);
  given("proc/self/limits", "Max realtime priority     49      99     \n");
  EXPECT_EQ(realtime_permission(host(), everything).judged, severity::bad);
  given("proc/self/status", "Name:\tx\nCapEff:\t0000000000800000\n");
  EXPECT_EQ(realtime_permission(host(), everything).judged, severity::fine);
}

TEST_F(Doctor, ReadsTheChosenHugePageMode) {
  given(huge_pages + "enabled", "always [madvise] never\n");
  EXPECT_EQ(transparent_huge_pages(host()).seen, "madvise");
  EXPECT_EQ(transparent_huge_pages(host()).judged, severity::fine);
  given(huge_pages + "enabled", "always madvise [never]\n");
  EXPECT_EQ(transparent_huge_pages(host()).judged, severity::warning);
}

TEST_F(Doctor, JudgesWhoWaitsForHugePagesToBeMade) {
  const auto defrag = [this](const char* enabled, const char* modes) {
    given(huge_pages + "enabled", enabled);
    given(huge_pages + "defrag", modes);
    return huge_page_defrag(host()).judged;
  };
  const char* on = "[always] madvise never";
  EXPECT_EQ(defrag(on, "[always] defer defer+madvise madvise never"), severity::warning);
  EXPECT_EQ(defrag(on, "always defer [defer+madvise] madvise never"), severity::note);
  EXPECT_EQ(defrag(on, "always [defer] defer+madvise madvise never"), severity::fine);
  EXPECT_EQ(defrag("always madvise [never]", "[always] defer defer+madvise madvise never"), severity::fine);
}

TEST_F(Doctor, JudgesTheLockedMemoryLimit) {
  const auto limits = [this](const char* soft) {
    given("proc/self/limits",
          std::string("Limit Soft Hard Units\nMax locked memory     ") + soft + "    unlimited  bytes\n");
    return locked_memory_limit(host());
  };
  EXPECT_EQ(limits("65536").judged, severity::note);
  EXPECT_EQ(limits("65536").seen, "64 KiB");
  EXPECT_EQ(limits("unlimited").judged, severity::fine);
  EXPECT_EQ(limits("1073741824").judged, severity::fine);
}

TEST_F(Doctor, FindsTheTightestQuotaOfTheGroupAndItsParents) {
  given("proc/self/cgroup", "0::/pod/worker\n");
  given("sys/fs/cgroup/pod/worker/cpu.max", "max 100000\n");
  EXPECT_EQ(container_quota(quota_of(host())).judged, severity::fine);
  given("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  EXPECT_EQ(container_quota(quota_of(host())).seen, "1.5 CPUs");
  given("sys/fs/cgroup/pod/worker/cpu.max", "50000 100000\n");
  EXPECT_EQ(container_quota(quota_of(host())).seen, "0.5 CPUs");
  EXPECT_EQ(container_quota(quota_of(host())).judged, severity::warning);
  given("sys/fs/cgroup/pod/worker/cpu.max", "much\n");
  EXPECT_TRUE(says(container_quota(quota_of(host())), "'much'"));
}

TEST_F(Doctor, ReadsTheOlderKindOfQuotaToo) {
  given("proc/42/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n");
  const std::string group = "sys/fs/cgroup/cpu,cpuacct/docker/abc/";
  given(group + "cpu.cfs_period_us", "100000\n");
  given(group + "cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(container_quota(quota_of(host(), 42)).judged, severity::fine);
  given(group + "cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(container_quota(quota_of(host(), 42)).seen, "2 CPUs");
  EXPECT_EQ(container_quota(quota_of(host())).judged, severity::unknown);
  given(group + "cpu.stat", "nr_periods 1000\nnr_throttled 10\nthrottled_time 250000000\n");
  EXPECT_EQ(quota_throttling({}, quota_of(host(), 42)).judged, severity::bad);
  EXPECT_TRUE(says(quota_throttling({}, quota_of(host(), 42)), "in 10 of 1,000 periods, 250 ms in all"));
}

TEST_F(Doctor, ReportsWhetherAQuotaHasPausedTheGroup) {
  const auto throttled = [this](int times) {
    given("proc/self/cgroup", "0::/pod\n");
    given("sys/fs/cgroup/pod/cpu.stat", "usage_usec 9\nnr_periods 1000\nnr_throttled " + std::to_string(times) +
                                            "\nthrottled_usec " + std::to_string(times * 50'000) + "\n");
    return quota_of(host());
  };
  EXPECT_EQ(quota_throttling({}, throttled(0)).judged, severity::fine);
  EXPECT_EQ(quota_throttling({}, throttled(9)).judged, severity::warning);
  EXPECT_EQ(quota_throttling({}, throttled(10)).judged, severity::bad);
  EXPECT_EQ(quota_throttling(throttled(9), throttled(9)).judged, severity::warning);
  EXPECT_EQ(quota_throttling(throttled(0), throttled(2)).judged, severity::bad);
  EXPECT_TRUE(says(quota_throttling(throttled(0), throttled(2)), "100 ms in all; 2 of them while"));
}

TEST(DoctorMeasures, WhetherTheTimerSlackCouldBeSet) {
  EXPECT_EQ(slack_obtained(true, 1).judged, severity::fine);
  EXPECT_EQ(slack_obtained(true, 50'000).judged, severity::bad);
  EXPECT_EQ(slack_obtained(false, 50'000).judged, severity::bad);
}

TEST(DoctorMeasures, WhetherTheKernelSlewsTheClockByMoreThan500Ppm) {
  const auto judged = [](long frequency, long tick, long offset = 0, int status = 0) {
    timex reported = {};
    reported.freq = frequency * 65536;
    reported.tick = tick;
    reported.offset = offset;
    reported.constant = 6;
    reported.status = status;
    return steering_by(reported);
  };
  EXPECT_EQ(judged(0, 10'000).judged, severity::fine);
  EXPECT_EQ(judged(500, 10'000).judged, severity::fine);
  EXPECT_EQ(judged(-500, 10'000).judged, severity::fine);
  EXPECT_EQ(judged(-450, 10'009).judged, severity::fine);  // 900 ppm, less those
  EXPECT_EQ(judged(0, 10'833).judged, severity::warning);  // chrony's default maxslewrate
  EXPECT_EQ(judged(0, 9'167).judged, severity::warning);
  EXPECT_TRUE(says(judged(1, 10'006), "+601 ppm"));
  EXPECT_TRUE(says(judged(0, 10'833), "maxslewrate 500"));
  EXPECT_EQ(judged(0, 10'000, 128'000, STA_PLL).judged, severity::fine);
  EXPECT_EQ(judged(1, 10'000, 128'000'000, STA_PLL | STA_NANO).judged, severity::warning);
  EXPECT_EQ(judged(1, 10'000, 128'000'000).judged, severity::fine);  // what is left, and nobody makes up for it
  EXPECT_TRUE(says(judged(0, 10'000, 0, STA_UNSYNC), "not known to be synchronised"));
}

TEST(DoctorMeasures, ThisVeryHostWorstFirst) {
  const auto findings = examine({.cpu = 0}, std::chrono::milliseconds(20));
  EXPECT_GE(findings.size(), 15U);
  for (std::size_t i = 1; i < findings.size(); ++i) EXPECT_LE(findings[i - 1].judged, findings[i].judged);
  for (const finding& each : findings) {
    const bool explained = each.meaning != "" && each.cure != "";
    EXPECT_NE(each.seen, "") << each.subject;
    EXPECT_EQ(explained, each.judged < severity::unknown) << each.subject;
  }
}

TEST(CpuList, ReadsAndWritesWhatTheKernelWrites) {
  for (const char* list : {"", "0", "0-3", "0-1,4,6-8"}) EXPECT_EQ(cpu_list_text(*cpus_in(list)), list);
  for (const char* list : {"x", "3-1", "-1", "1-", ",,1x", "0-99999999999", "(null)"})
    EXPECT_FALSE(cpus_in(list)) << list;
}

}  // namespace
}  // namespace detent::tool
