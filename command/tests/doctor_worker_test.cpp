// SPDX-License-Identifier: MIT
// What the doctor says of a worker, its CPU, and the threads that ran there between two readings.
#include <gtest/gtest.h>

#include <string>

#include "doctor/cpu_visitors.hpp"
#include "doctor/doctor.hpp"
#include "doctor/interrupt_counts.hpp"
#include "doctor/worker_cpu.hpp"
#include "doctor/worker_search.hpp"
#include "made_up_host.hpp"
#include "support/counters_image.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using test::about;

constexpr unsigned long long ms = 1'000'000;
const std::string cpus = "sys/devices/system/cpu/";

class DoctorOfAWorker : public test::made_up_host {
 protected:
  // Between two readings that are `seconds` apart; `meanwhile` changes the host.
  template <class Change>
  finding watched(const std::string& subject, const worker_facts& worker, Change meanwhile, int seconds = 1) {
    given("proc/uptime", "1000.00 1.00\n");
    host_watch watch(worker, host());
    meanwhile();
    given("proc/uptime", std::to_string(1000 + seconds) + ".00 1.00\n");
    watch.look();
    return about(watch.findings(), subject);
  }
  std::string refusal(long long process, std::optional<long long> thread = {}) {
    try {
      static_cast<void>(worker_of(host(), process, thread));
    } catch (const input_error& refused) {
      return refused.what();
    }
    return "accepted";
  }
};

TEST_F(DoctorOfAWorker, SeesIsolatedCpus) {
  given(cpus + "isolated", "\n");
  EXPECT_EQ(isolated_cpus(host()).judged, severity::warning);
  given(cpus + "isolated", "2-3\n");
  EXPECT_EQ(isolated_cpus(host()).judged, severity::fine);
}

TEST_F(DoctorOfAWorker, WantsTheWorkersCpuIsolated) {
  given(cpus + "online", "0-3\n");
  given(cpus + "isolated", "1-2\n");
  given(cpus + "nohz_full", "2\n");
  EXPECT_EQ(worker_cpu(host(), 3).judged, severity::warning);
  EXPECT_TRUE(says(worker_cpu(host(), 3), "isolcpus=3 nohz_full=3"));
  EXPECT_EQ(worker_cpu(host(), 1).judged, severity::note);
  EXPECT_EQ(worker_cpu(host(), 2).judged, severity::fine);
  EXPECT_EQ(worker_cpu(host(), 4).judged, severity::bad);
  EXPECT_TRUE(says(worker_cpu(host(), 4), "not online"));
}

TEST_F(DoctorOfAWorker, SeesWhoElseRanOnItsCpu) {
  const worker_facts worker = {.cpu = 2, .process = 10, .thread = 11};
  const std::string subject = "who else ran on CPU 2";
  const auto all = [this](unsigned long long ran) {
    given_thread(10, 11, {.name = "detent", .cpu = 2, .ran = 500 * ms + 9 * ran});  // the worker itself
    given_thread(30, 30, {.name = "else) (where", .cpu = 1, .ran = ran});
  };
  all(0);
  given_thread(20, 20, {.name = "make \x1b[2J", .cpu = 2, .ran = 5 * ms, .gave_up = 1});
  finding seen = watched(subject, worker, [&] { all(100 * ms); });
  EXPECT_EQ(seen.judged, severity::fine) << seen.seen;

  seen = watched(subject, worker, [&] {
    given_thread(20, 20, {.name = "make \x1b[2J", .cpu = 2, .ran = 25 * ms, .gave_up = 2, .preempted = 3});
  });
  EXPECT_EQ(seen.judged, severity::bad);
  EXPECT_EQ(seen.seen, "make \\x1b[2J (20) for 20 ms in 4 switches; 2 % of the time");
  EXPECT_TRUE(says(seen, "taskset"));

  // One that has come meanwhile, and for a short time.
  seen = watched(subject, worker, [&] { given_thread(40, 41, {.name = "new", .cpu = 2, .ran = ms, .gave_up = 1}); });
  EXPECT_EQ(seen.judged, severity::warning) << seen.seen;
  EXPECT_TRUE(says(seen, "new (41) for 1 ms"));
}

TEST_F(DoctorOfAWorker, DistinguishesTheKernelsThreadsFromOthers) {
  given_thread(5, 5, {.name = "kworker/2:1", .cpu = 2, .kernel = true});
  const finding seen = watched("who else ran on CPU 2", {.cpu = 2}, [&] {
    given_thread(5, 5, {.name = "kworker/2:1", .cpu = 2, .ran = ms, .gave_up = 3, .kernel = true});
  });
  EXPECT_EQ(seen.judged, severity::warning);
  EXPECT_TRUE(says(seen, "the kernel's kworker/2:1 (5)"));
  EXPECT_FALSE(says(seen, "taskset"));
}

const std::string interrupt_head = "           CPU0       CPU2\n";

TEST_F(DoctorOfAWorker, CountsInterruptsOfDevicesOnItsCpu) {
  const auto table = [this](int there, int elsewhere, int timer) {
    given("proc/interrupts", interrupt_head + " 36:  " + std::to_string(elsewhere) + "  " + std::to_string(there) +
                                 "  PCI-MSIX-0000:00:02.0   1-edge      eth0-rx\nLOC: 5 " + std::to_string(timer) +
                                 "  Local timer interrupts\nERR:          0\n");
  };
  const std::string subject = "interrupts on CPU 2";
  table(1000, 1000, 7);
  finding seen = watched(subject, {.cpu = 2}, [&] { table(1000, 9000, 8); });
  EXPECT_EQ(seen.judged, severity::fine);
  EXPECT_TRUE(says(seen, "1 of LOC")) << seen.seen;
  table(1000, 1000, 7);
  seen = watched(subject, {.cpu = 2}, [&] { table(1099, 1000, 7); });
  EXPECT_EQ(seen.judged, severity::warning);
  EXPECT_EQ(seen.seen, "99 of 36 (eth0-rx); 99 a second of devices");
  EXPECT_TRUE(says(seen, "echo 0 > /proc/irq/36/smp_affinity_list"));
  table(1000, 1000, 7);
  EXPECT_EQ(watched(subject, {.cpu = 2}, [&] { table(1200, 1000, 7); }).judged, severity::bad);
  table(1000, 1000, 7);
  EXPECT_EQ(watched(
                subject, {.cpu = 2}, [&] { table(1200, 1000, 7); }, 10)
                .judged,
            severity::warning);
  EXPECT_EQ(watched("interrupts on CPU 1", {.cpu = 1}, [] {}).judged, severity::unknown);
}

TEST_F(DoctorOfAWorker, ListsInterruptsThatMayComeToItsCpu) {
  given("proc/irq/7/smp_affinity_list", "0-1\n");
  given("proc/irq/8/smp_affinity_list", "0,3\n");
  EXPECT_EQ(interrupt_affinity(host(), 2).judged, severity::fine);
  given("proc/irq/9/smp_affinity_list", "0-3\n");
  EXPECT_EQ(interrupt_affinity(host(), 2).judged, severity::note);
  EXPECT_EQ(interrupt_affinity(host(), 2).seen, "9");
  given("proc/irq/9/smp_affinity_list", "0-3-5\n");
  EXPECT_EQ(interrupt_affinity(host(), 2).judged, severity::unknown);
}

TEST_F(DoctorOfAWorker, SeesASlackThatWasNotApplied) {
  const auto slack = [this](const char* text, const worker_facts& worker) {
    given("proc/11/timerslack_ns", text);
    return timer_slack(host(), worker).judged;
  };
  const worker_facts worker = {.process = 10, .thread = 11};
  EXPECT_EQ(slack("1\n", worker), severity::fine);
  EXPECT_EQ(slack("50000\n", worker), severity::bad);
  EXPECT_EQ(slack("50000\n", {.wait = wait_options::kind::busy, .thread = 11}), severity::note);
  EXPECT_EQ(slack("0\n", {.priority = 5, .thread = 11}), severity::fine);
  EXPECT_EQ(slack("-7\n", worker), severity::unknown);
  given("proc/self/timerslack_ns", "50000\n");
  EXPECT_EQ(timer_slack(host(), {}).judged, severity::fine);
}

TEST_F(DoctorOfAWorker, SeesThatItIsNotPinned) {
  given_thread(10, 11, {.allowed = "0-3"});
  EXPECT_EQ(worker_affinity(host(), {.process = 10, .thread = 11}).seen, "any of 0-3");
  EXPECT_EQ(worker_affinity(host(), {.process = 10, .thread = 11}).judged, severity::note);
  EXPECT_EQ(worker_affinity(host(), {.process = 10, .thread = 12}).judged, severity::unknown);
}

TEST_F(DoctorOfAWorker, SeesItWaitForItsCpu) {
  const worker_facts worker = {.process = 10, .thread = 11};
  const std::string subject = "the worker's waits for its CPU";
  const auto changed = [&](unsigned long long waited, unsigned long long preempted) {
    given_thread(10, 11, {.waited = 7 * ms, .preempted = 3});
    return watched(subject, worker, [&] {
      given_thread(10, 11, {.waited = 7 * ms + waited, .gave_up = 90, .preempted = 3 + preempted});
    });
  };
  EXPECT_EQ(changed(ms / 2, 0).judged, severity::fine);
  EXPECT_EQ(changed(ms / 2, 1).judged, severity::warning);
  EXPECT_EQ(changed(9 * ms, 0).judged, severity::warning);
  EXPECT_EQ(changed(10 * ms, 2).judged, severity::bad);
  EXPECT_EQ(changed(10 * ms, 2).seen, "10 ms ready to run but waiting, 2 times preempted, in 1 s");
}

TEST_F(DoctorOfAWorker, SeesThatItIsTheLimit) {
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

TEST_F(DoctorOfAWorker, SeesTimeStolenFromItsCpu) {
  const auto stolen = [this](int hundredths) {
    given("proc/stat", "cpu  1 1 1 1 1 1 1 " + std::to_string(hundredths + 40) +
                           " 0 0\ncpu1 1 1 1 1 1 1 1 40 0 0\ncpu2 1 1 1 1 1 1 1 " + std::to_string(hundredths) +
                           " 0 0\nbtime 7\n");
  };
  stolen(5);
  EXPECT_EQ(watched("stolen time", {.cpu = 2}, [] {}).judged, severity::fine);
  EXPECT_EQ(watched(
                "stolen time", {.cpu = 2}, [&] { stolen(6); }, 2)
                .judged,
            severity::warning);
  EXPECT_EQ(watched("stolen time", {.cpu = 2}, [&] { stolen(26); }).seen, "200 ms from CPU 2, in 1 s");
  stolen(5);
  EXPECT_EQ(watched("stolen time", {}, [&] { stolen(6); }).judged, severity::warning);
  EXPECT_EQ(watched("stolen time", {}, [&] { stolen(8); }).judged, severity::bad);
  EXPECT_EQ(watched("stolen time", {.cpu = 9}, [] {}).judged, severity::unknown);
}

TEST_F(DoctorOfAWorker, OneReadingShowsNoChange) {
  given_thread(10, 11, {.cpu = 2});
  given("proc/interrupts", interrupt_head + " 36: 1 1 eth0\n");
  given("proc/stat", "cpu2 1 1 1 1 1 1 1 4 0 0\n");
  const auto findings = host_watch({.cpu = 2, .process = 10, .thread = 11}, host()).findings();
  for (const char* subject :
       {"who else ran on CPU 2", "interrupts on CPU 2", "stolen time", "the worker's waits for its CPU"}) {
    EXPECT_EQ(about(findings, subject).seen, "one reading shows no change") << subject;
  }
}

TEST_F(DoctorOfAWorker, FindsItByItsName) {
  given_thread(10, 10, {.name = "server"});
  given_thread(10, 11, {.name = "detent", .priority = 40, .policy = 1, .allowed = "5"});
  given_thread(10, 12, {.name = "else"});
  const worker_facts found = worker_of(host(), 10, {});
  EXPECT_EQ(found.thread, 11);
  EXPECT_EQ(found.cpu, 5);
  EXPECT_EQ(found.priority, 40);
  EXPECT_FALSE(found.wait);
  EXPECT_EQ(worker_of(host(), 10, 12).cpu, std::nullopt);
  EXPECT_EQ(worker_of(host(), 10, 12).priority, std::nullopt);
}

TEST_F(DoctorOfAWorker, DoesNotTakeTheProgramsNameForTheWorkers) {
  given_thread(10, 10, {.name = "detent"});
  given_thread(10, 11, {.name = "detent"});
  EXPECT_NE(refusal(10).find("--thread"), std::string::npos);
  given_thread(10, 12, {.name = "detent-run"});
  EXPECT_EQ(worker_of(host(), 10, {}).thread, 12);
}

TEST_F(DoctorOfAWorker, FindsItInItsCountersFile) {
  for (int thread : {10, 11, 12}) given_thread(10, thread, {.name = "server"});
  test::counters_image image(10);
  counters_layout::header header = image.header();
  header.process_start = 777;
  header.worker_thread = 12;
  header.wait = 0;
  image.put(header);
  given("dev/shm/detent.10.0", image.bytes());
  EXPECT_EQ(worker_of(host(), 10, {}).thread, 12);
  EXPECT_EQ(worker_of(host(), 10, {}).wait, wait_options::kind::busy);
  // Left by another process of that id, or damaged: it says nothing.
  header.process_start = 778;
  image.put(header);
  given("dev/shm/detent.10.0", image.bytes());
  EXPECT_NE(refusal(10), "accepted");
  given("dev/shm/detent.10.0", "detent#c");
  EXPECT_NE(refusal(10), "accepted");
}

TEST_F(DoctorOfAWorker, RefusesToGuess) {
  given_thread(10, 10, {.name = "server"});
  EXPECT_NE(refusal(9).find("process 9"), std::string::npos);
  EXPECT_NE(refusal(10).find("--thread"), std::string::npos);
  EXPECT_NE(refusal(10, 77).find("no thread 77"), std::string::npos);
  given_thread(10, 11, {.name = "detent"});
  EXPECT_EQ(refusal(10), "accepted");
  given_thread(10, 12, {.name = "detent"});
  EXPECT_NE(refusal(10).find("2 workers"), std::string::npos);
  EXPECT_EQ(refusal(10, 12), "accepted");
}

}  // namespace
}  // namespace detent::tool
