// SPDX-License-Identifier: MIT
// The doctor's verdicts that sessions/doctor.txt cannot produce: about this host, files of bytes, and measurements.
#include "doctor/doctor.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "doctor/cpu_visitors.hpp"
#include "doctor/engine_lateness.hpp"
#include "doctor/jitter_probes.hpp"
#include "doctor/worker_cpu.hpp"
#include "doctor/worker_search.hpp"
#include "host/cpu_list.hpp"
#include "made_up_host.hpp"
#include "support/counters_image.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using Doctor = test::made_up_host;

constexpr unsigned long long ms = 1'000'000;
const worker_facts everything = {.cpu = 3, .priority = 50, .wait = wait_options::kind::busy};
const std::string clocksource = "sys/devices/system/clocksource/clocksource0/";
const std::string cpus = "sys/devices/system/cpu/";
const std::string huge_pages = "sys/kernel/mm/transparent_hugepage/";

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
  EXPECT_LE(understood, 2);  // no thread makes sense, and no group has statistics
}

TEST_F(Doctor, FindsAWorkerInItsCountersFile) {
  for (int thread : {10, 11, 12}) given_thread(10, thread, "server");
  test::counters_image image(10);
  counters_layout::header header = image.header();
  header.process_start = 777;
  header.worker_thread = 12;
  header.wait = 0;
  image.put(header);
  given("dev/shm/detent.10.0", image.bytes());
  EXPECT_EQ(worker_of(host(), 10, {}).thread, 12);
  EXPECT_EQ(worker_of(host(), 10, {}).wait, wait_options::kind::busy);
  // A file that is damaged, or was left by another process with that id, says nothing.
  header.process_start = 778;
  image.put(header);
  given("dev/shm/detent.10.0", image.bytes());
  EXPECT_THROW(worker_of(host(), 10, {}), input_error);
  given("dev/shm/detent.10.0", "detent#c");
  EXPECT_THROW(worker_of(host(), 10, {}), input_error);
}

TEST(DoctorMeasures, WhetherAWorkerIsTheLimit) {
  thread_facts before, after;
  after.ran = 900 * ms;
  EXPECT_FALSE(worker_load(before, after, {}, 2).has_value());
  const auto seen = worker_load(before, after, {}, 1);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->judged, severity::warning);
  EXPECT_EQ(seen->seen, "90 % of a CPU, in 1 s");
  EXPECT_FALSE(worker_load(before, after, {.wait = wait_options::kind::busy}, 1).has_value());
  EXPECT_FALSE(worker_load(std::nullopt, after, {}, 1).has_value());
}

// Callbacks of 200 ms keep an engine from firing for longer than from one look to the next.
TEST(DoctorMeasures, WhetherAnEngineThatIsFarBehindFiresAtAll) {
  constexpr std::int64_t second = 1'000'000'000;
  const auto judged = [](std::int64_t watched, std::int64_t rested) {
    counters_snapshot first, last;
    last.totals[counter::scheduled] = 1;  // it is still pending
    last.read_at = 9 * second;
    last.gauges[gauge::next_deadline] = 7 * second;
    first.read_at = last.read_at - watched;
    return judged_lateness(first, last, rested, {}).judged;
  };
  EXPECT_EQ(judged(3 * second, second / 7), severity::fine);
  EXPECT_EQ(judged(3 * second, second), severity::bad);
  EXPECT_EQ(judged(second / 2, second / 2), severity::bad) << "it has not fired while it was watched";
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
  EXPECT_EQ(judged(-450, 10'009).judged, severity::fine);  // 900 ppm minus the 450
  EXPECT_EQ(judged(0, 10'833).judged, severity::warning);  // chrony's default maxslewrate
  EXPECT_EQ(judged(0, 9'167).judged, severity::warning);
  EXPECT_TRUE(says(judged(1, 10'006), "+601 ppm"));
  EXPECT_TRUE(says(judged(0, 10'833), "maxslewrate 500"));
  EXPECT_EQ(judged(0, 10'000, 128'000, STA_PLL).judged, severity::fine);
  EXPECT_EQ(judged(1, 10'000, 128'000'000, STA_PLL | STA_NANO).judged, severity::warning);
  EXPECT_EQ(judged(1, 10'000, 128'000'000).judged, severity::fine);  // an offset remains that nothing corrects
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

TEST(DoctorText, KeepsWithinAHundredColumns) {
  finding wordy = {"a CPU", severity::bad, "gone", "/proc/cpus", "nothing runs", "fetch it back"};
  for (std::string* text : {&wordy.seen, &wordy.meaning, &wordy.cure}) {
    for (int i = 0; i < 100; ++i) *text += " word" + std::to_string(i * 37);
  }
  finding fine = wordy;
  fine.judged = severity::fine;
  for (const std::string_view line : lines_of(doctor_text({wordy, fine}))) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace detent::tool
