// SPDX-License-Identifier: MIT
// The evidence that /proc and bent clocks give about an engine's driver, from one reading to the next, and a row's
// diagnosis.
#include "top/engine_witness.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lateness/late_scenario.hpp"
#include "made_up_engines.hpp"
#include "made_up_host.hpp"
#include "top/row_text.hpp"
#include "top/top_model.hpp"
#include "top/top_screen.hpp"

namespace detent::tool {
namespace {

constexpr std::int64_t ms = 1'000'000, second = test::second;

class EngineWitness : public test::made_up_host {
 protected:
  // Writes the present state of a thread of process 7.
  void thread_is(int thread, char state, std::int64_t ran, std::int64_t waited, int cpu = 3, int ticks = 0) const {
    std::string stat = std::to_string(thread) + " (t) " + state;
    for (int field = 4; field <= 41; ++field) stat += " " + std::to_string(field == 39 ? cpu : field == 14 ? ticks : 0);
    const std::string directory = "proc/7/task/" + std::to_string(thread) + "/";
    given(directory + "stat", stat + "\n");
    given(directory + "schedstat", std::to_string(ran) + " " + std::to_string(waited) + " 1\n");
  }
  void stolen(std::int64_t ticks) const {
    given("proc/stat", "cpu 0 0 0 0 0 0 0 0\ncpu3 0 0 0 0 0 0 0 " + std::to_string(ticks) + " 0 0\n");
  }
  void throttled(std::uint64_t periods, std::int64_t usec) const {
    given("proc/7/cgroup", "0::/box\n");
    given("sys/fs/cgroup/box/cpu.stat", "nr_periods 100\nnr_throttled " + std::to_string(periods) +
                                            "\nthrottled_usec " + std::to_string(usec) + "\n");
  }

  // Reads an engine after so many seconds. Since the last reading it has fired a hundred more timers, each late by
  // `late` nanoseconds.
  engine_reading look(std::int64_t seconds, std::uint64_t late, std::int64_t since_boot = 0) {
    host_reading reading{.engines = {test::busy_reading("engine", 7, seconds, 0, 0)}, .troubles = {}};
    counters_snapshot& snapshot = reading.engines[0].snapshot;
    snapshot.identity.worker_thread = worker_;
    recorded_.emplace_back(late, 100);
    snapshot.totals[counter::fired] = 100 * recorded_.size();
    if (hands_over_) snapshot.totals[counter::handed_over] = snapshot.totals[counter::fired];
    for (const cause each : {cause::lateness, hands_over_ ? cause::dispatch : cause::wait})
      snapshot.histograms[each] = test::histogram_of(recorded_);
    snapshot.gauges[gauge::next_deadline] = snapshot.read_at - overdue_;
    witness_.look(reading, second,
                  {.monotonic = seconds * second, .since_boot = seconds * second + since_boot, .waited = 0});
    return reading.engines[0];
  }
  static std::string_view why(const engine_reading& later, const engine_reading& earlier) {
    const top_row row = row_of(later, &earlier);
    return row.why.is ? words_for(*row.why.is).name : "";
  }
  static std::string_view name_of(late_scenario scenario) { return words_for(scenario).name; }

  std::uint32_t worker_ = 8;
  bool hands_over_ = false;  // and timers are late in the executor
  std::int64_t overdue_ = 0;
  test::recorded recorded_;
  engine_witness witness_{host()};
};

TEST_F(EngineWitness, SeesAWorkerThatWaitsForItsCpu) {
  thread_is(8, 'S', 10 * ms, 1 * ms);
  const engine_reading before = look(1, 100);
  thread_is(8, 'R', 400 * ms, 600 * ms);
  EXPECT_EQ(why(look(2, 4 * ms), before), name_of(late_scenario::worker_starved));
}

TEST_F(EngineWitness, SeesAQuota) {
  throttled(3, 1'000);
  thread_is(8, 'S', 10 * ms, 1 * ms);
  const engine_reading before = look(1, 100);
  throttled(13, 700'000);
  thread_is(8, 'R', 200 * ms, 700 * ms);
  EXPECT_EQ(why(look(2, 50 * ms), before), name_of(late_scenario::quota_used_up));
}

TEST_F(EngineWitness, SeesAHypervisorThatTakesTheCpu) {
  stolen(100);
  thread_is(8, 'S', 10 * ms, 1 * ms);
  const engine_reading before = look(1, 100);
  stolen(160);
  EXPECT_EQ(why(look(2, 4 * ms), before), name_of(late_scenario::cpu_stolen));
  // The worker has moved to a CPU with another count, and that is not stolen time.
  given("proc/stat", "cpu3 0 0 0 0 0 0 0 160 0 0\ncpu4 0 0 0 0 0 0 0 9000 0 0\n");
  const engine_reading there = look(3, 4 * ms);
  thread_is(8, 'S', 10 * ms, 1 * ms, 4);
  EXPECT_EQ(why(look(4, 4 * ms), there), name_of(late_scenario::worker_away));
}

TEST_F(EngineWitness, SeesAStoppedProcess) {
  thread_is(8, 'S', 10 * ms, 1 * ms);
  const engine_reading before = look(1, 100);
  thread_is(8, 'T', 10 * ms, 1 * ms);
  look(2, 100);
  look(3, 100);
  thread_is(8, 'S', 11 * ms, 1 * ms);
  EXPECT_EQ(why(look(4, 1'500 * ms), before), name_of(late_scenario::process_stopped));
  const engine_reading later = look(5, 0);
  EXPECT_EQ(why(look(6, 60'000), later), name_of(late_scenario::slept_too_long)) << "the stop is over";
}

// By their state, the threads of a frozen group sleep.
TEST_F(EngineWitness, SeesAProcessOfWhichNoThreadRunsThoughATimerIsOverdue) {
  thread_is(7, 'S', 50 * ms, 0);
  thread_is(8, 'S', 10 * ms, 1 * ms);
  const engine_reading before = look(1, 100);
  for (std::int64_t seconds = 2; seconds < 5; ++seconds) {
    overdue_ = seconds * second / 2;
    look(seconds, 100);
  }
  overdue_ = 0;
  EXPECT_EQ(why(look(5, 2'000 * ms), before), name_of(late_scenario::process_stopped));
}

TEST_F(EngineWitness, SeesAFrozenGroupInOneLook) {
  const std::string groups[] = {"0::/box\n", "6:freezer:/box\n0::/\n"};
  for (const std::string& group : groups) {
    for (const std::uint32_t worker : {8U, 0U}) {
      witness_ = engine_witness(host());
      worker_ = worker;
      given("proc/7/cgroup", group);
      thread_is(8, 'S', 10 * ms, 1 * ms);
      const engine_reading before = look(1, 100);
      overdue_ = 900 * ms;
      given("sys/fs/cgroup/box/cgroup.events", "populated 1\nfrozen 1\n");
      given("sys/fs/cgroup/freezer/box/freezer.state", "FROZEN\n");
      look(2, 100);
      overdue_ = 0;
      given("sys/fs/cgroup/box/cgroup.events", "populated 1\nfrozen 0\n");
      given("sys/fs/cgroup/freezer/box/freezer.state", "THAWED\n");
      thread_is(8, 'S', 20 * ms, 1 * ms);
      EXPECT_EQ(why(look(3, 1'200 * ms), before), name_of(late_scenario::process_stopped)) << group << worker;
    }
  }
}

TEST_F(EngineWitness, SeesWhyATimerThatIsOverdueDoesNotRun) {
  thread_is(8, 'R', 10 * ms, 1 * ms);
  const engine_reading before = look(4, 100);
  overdue_ = 2 * second;  // and still it waits: the kernel adds a wait when it ends
  engine_reading later = look(5, 100);
  later.snapshot.totals[counter::fired] = before.snapshot.totals[counter::fired];
  const top_row row = row_of(later, &before);
  EXPECT_EQ(row.overdue, 2e9);
  EXPECT_EQ(row.why_overdue.is, late_scenario::worker_starved);
  const std::vector<std::string> lines = why_late_of(row, 500);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "late: its next timer was due 2 s ago, and it runs none; the worker had too little CPU ");
}

// The kernel brings schedstat up to date once a second there, and stat whenever it is read.
TEST_F(EngineWitness, SeesThatACallbackRunsForEverOnACpuWithoutATick) {
  for (const std::uint32_t worker : {8U, 0U}) {
    witness_ = engine_witness(host());
    worker_ = worker;
    thread_is(8, 'R', 10 * ms, 1 * ms);
    look(4, 100);
    overdue_ = 2 * second;
    thread_is(8, 'R', 10 * ms, 1 * ms, 3, 100);
    EXPECT_EQ(look(5, 100).driver.waiting, 0) << worker;
  }
}

TEST_F(EngineWitness, SeesALoopThatStillWaitsForACpu) {
  worker_ = 0;
  thread_is(8, 'S', 10 * ms, 1 * ms);
  thread_is(9, 'R', 10 * ms, 1 * ms);
  look(4, 100);
  overdue_ = 2 * second;
  EXPECT_EQ(look(5, 100).driver.waiting, 1);
  thread_is(8, 'S', 20 * ms, 1 * ms);  // another one ran, and may be the loop
  EXPECT_EQ(look(6, 100).driver.waiting, 0);
}

// As in some sandboxes: that it waited for no CPU would be made up.
TEST_F(EngineWitness, DoesNotKnowWhetherADriverHadACpuWithoutSchedstat) {
  for (const std::uint32_t worker : {8U, 0U}) {
    witness_ = engine_witness(host());
    worker_ = worker;
    thread_is(8, 'S', 10 * ms, 1 * ms);
    given("proc/7/task/8/schedstat", "");
    const engine_reading before = look(1, 100);
    EXPECT_EQ(why(look(2, 20 * ms), before), name_of(late_scenario::not_visible)) << worker;
  }
}

TEST_F(EngineWitness, SeesThreadsOfAnExecutorThatWaitForACpu) {
  hands_over_ = true;
  thread_is(8, 'S', 10 * ms, 1 * ms);
  thread_is(9, 'S', 10 * ms, 0);
  const engine_reading before = look(1, 100);
  thread_is(8, 'S', 20 * ms, 2 * ms);
  thread_is(9, 'R', 60 * ms, 800 * ms);
  EXPECT_EQ(why(look(2, 20 * ms), before), name_of(late_scenario::executor_starved));
}

// As of eight threads that compute on two CPUs: together they run for longer than one of them waits.
TEST_F(EngineWitness, SeesThatTooManyBusyThreadsOfAnExecutorShareTheCpus) {
  hands_over_ = true;
  for (int thread = 8; thread < 17; ++thread) thread_is(thread, 'S', 10 * ms, 0);
  const engine_reading before = look(1, 100);
  for (int thread = 9; thread < 17; ++thread) thread_is(thread, 'R', 260 * ms, 750 * ms);
  EXPECT_EQ(why(look(2, 20 * ms), before), name_of(late_scenario::executor_starved));
}

TEST_F(EngineWitness, SeesThatTheThreadsOfAnExecutorHaveTheirCpus) {
  hands_over_ = true;
  for (int thread = 8; thread < 11; ++thread) thread_is(thread, 'S', 10 * ms, 0);
  const engine_reading before = look(1, 100);
  thread_is(9, 'R', 610 * ms, 300 * ms);
  thread_is(10, 'S', 20 * ms, 50 * ms);  // it waited longer than it ran, but not for long
  EXPECT_EQ(why(look(2, 5 * ms), before), name_of(late_scenario::executor_full));
}

TEST_F(EngineWitness, SeesAMachineThatStoodStillByABentClock) {
  thread_is(8, 'S', 10 * ms, 1 * ms);
  const engine_reading first = look(1, 100);
  // The machine was suspended for a minute, which CLOCK_MONOTONIC leaves out.
  const engine_reading second_one = look(2, 20'000 * ms, 60 * second);
  EXPECT_EQ(why(second_one, first), name_of(late_scenario::machine_halted));
  // A virtual machine was paused: this reading was due after a second and comes after half a minute.
  EXPECT_EQ(why(look(32, 15'000 * ms, 60 * second), second_one), name_of(late_scenario::machine_halted));
}

TEST_F(EngineWitness, TakesTheThreadThatWaitedLeastForACallers) {
  worker_ = 0;
  thread_is(7, 'S', 10 * ms, 0);
  thread_is(9, 'S', 10 * ms, 0);
  const engine_reading before = look(1, 100);
  thread_is(7, 'S', 100 * ms, 5 * ms);
  thread_is(9, 'R', 400 * ms, 600 * ms);
  const engine_reading later = look(2, 8 * ms);
  EXPECT_EQ(why(later, before), name_of(late_scenario::polled_late));
  thread_is(7, 'R', 200 * ms, 705 * ms);
  thread_is(9, 'R', 800 * ms, 1'200 * ms);
  EXPECT_EQ(why(look(3, 8 * ms), later), name_of(late_scenario::loop_starved));
}

TEST_F(EngineWitness, NamesWhoHadTheCpu) {
  const auto hog_has_run = [this](std::int64_t ran) {
    std::string stat = "99 (hog) R";
    for (int field = 4; field <= 41; ++field) stat += field == 39 ? " 3" : " 0";
    given("proc/99/task/99/stat", stat + "\n");
    given("proc/99/task/99/schedstat", std::to_string(ran) + " 0 1\n");
  };
  hog_has_run(0);
  thread_is(8, 'S', 10 * ms, 1 * ms);
  look(1, 100);
  thread_is(8, 'R', 400 * ms, 600 * ms);
  const engine_reading before = look(2, 4 * ms);
  hog_has_run(600 * ms);
  thread_is(8, 'R', 800 * ms, 1'200 * ms);
  const engine_reading later = look(3, 4 * ms);
  EXPECT_EQ(later.driver.rival, "hog (99) had CPU 3 for 60 % of the time");
  EXPECT_NE(text_of(row_of(later, &before).why).find("hog (99)"), std::string::npos);
}

// The words come from the common table, in as many lines as they need.
TEST_F(EngineWitness, IsSaidOnTheScreenOfTop) {
  thread_is(8, 'S', 10 * ms, 1 * ms);
  const engine_reading before = look(1, 100);
  thread_is(8, 'R', 400 * ms, 600 * ms);
  top_model model;
  model.take({{before}, {}});
  model.take({{look(2, 4 * ms)}, {}});
  const std::string screen = draw_top(model, {.time = "12:00:00", .where = "on this host"}, 80, 40, false).text();
  std::string words;
  for (const std::string_view word : words_of(screen)) words += std::string(word) + " ";
  const scenario_words& expected = words_for(late_scenario::worker_starved);
  EXPECT_NE(words.find("late: " + std::string(expected.name)), std::string::npos) << screen;
  EXPECT_NE(words.find("do: " + std::string(expected.cure)), std::string::npos) << screen;
}

TEST_F(EngineWitness, SaysWhereItSeesNothing) {
  const engine_reading before = look(1, 100);
  EXPECT_EQ(why(look(2, 20 * ms), before), name_of(late_scenario::not_visible));
}

}  // namespace
}  // namespace detent::tool
