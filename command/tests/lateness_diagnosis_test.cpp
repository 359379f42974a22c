// SPDX-License-Identifier: MIT
// Why timers are late, for each reason that has a cure, and the page that says so.
#include "lateness/lateness_diagnosis.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lateness/late_scenario.hpp"

namespace detent::tool {
namespace {

constexpr double ms = 1e6, second = 1e9;
constexpr std::size_t drain = 0, wait = 1, worker = 2, dispatch = 3;

// Two seconds of an engine that fires a hundred timers a second, each late by `each` nanoseconds in one part.
late_figures late_in(std::size_t part, double each) {
  late_figures late{.parts = {},
                    .span = 2 * second,
                    .fired = 200,
                    .scheduled = 200,
                    .pending = 50,
                    .wait = wait_options::kind::hybrid};
  late.parts[part] = {.sum = 200 * each, .most = each, .typical = each};
  return late;
}

driver_evidence seen() {
  driver_evidence evidence;
  evidence.visible = true;
  evidence.ran = 100'000'000;
  evidence.waited = 1'000'000;
  return evidence;
}

late_figures polled_in(std::size_t part, double each) {
  late_figures late = late_in(part, each);
  late.wait.reset();
  return late;
}

struct made_up_case {
  late_figures late;
  driver_evidence evidence;
  late_scenario expected;
};

template <class Add>
void add_executors_cases(Add add) {
  using enum late_scenario;
  late_figures handed_over = late_in(dispatch, 20 * ms);
  handed_over.hands_over = true;
  add(executor_full, handed_over, [](driver_evidence&) {});
  add(executor_full, handed_over, [](driver_evidence& e) {  // threads that compute
    e.other_ran = 1'900'000'000;
    e.other_waited = 300'000'000;
  });
  handed_over = late_in(dispatch, 5 * ms);
  handed_over.hands_over = true;
  add(executor_starved, handed_over, [](driver_evidence& e) {
    e.other_ran = 50'000'000;
    e.other_waited = 900'000'000;
  });
}

std::vector<made_up_case> all_cases() {
  using enum late_scenario;
  std::vector<made_up_case> cases;
  const auto add = [&](late_scenario expected, const late_figures& late, auto&& tell) {
    driver_evidence evidence = seen();
    tell(evidence);
    cases.push_back({late, evidence, expected});
  };
  const auto nothing = [](driver_evidence&) {};
  for (const std::size_t part : {drain, wait, worker, dispatch}) {
    add(machine_halted, late_in(part, 300 * ms), [](driver_evidence& e) { e.halted = e.longest_halt = 1'500'000'000; });
    add(process_stopped, late_in(part, 300 * ms),
        [](driver_evidence& e) { e.stopped = e.longest_stop = 1'500'000'000; });
    add(process_stopped, late_in(part, 300 * ms),
        [](driver_evidence& e) { e.quiet = e.longest_quiet = 1'500'000'000; });
    add(quota_used_up, late_in(part, 50 * ms), [](driver_evidence& e) {
      e.waited = e.throttled = 1'500'000'000;
      e.throttles = 15;
    });
  }
  for (const std::size_t part : {drain, wait, worker}) {
    add(worker_starved, late_in(part, 4 * ms), [](driver_evidence& e) { e.waited = 900'000'000; });
    add(loop_starved, polled_in(part, 4 * ms), [](driver_evidence& e) { e.waited = 900'000'000; });
    add(cpu_stolen, late_in(part, 4 * ms), [](driver_evidence& e) { e.stolen = 900'000'000; });
  }
  for (const auto& [kind, expected] :
       {std::pair(wait_options::kind::sleep, slept), std::pair(wait_options::kind::hybrid, slept_too_long),
        std::pair(wait_options::kind::busy, spin_interrupted)}) {
    late_figures late = late_in(wait, 0.06 * ms);
    late.wait = kind;
    add(expected, late, nothing);
    add(expected, late, [](driver_evidence& e) { e.visible = false; });
  }
  add(worker_away, late_in(wait, 300 * ms), nothing);
  add(worker_away, late_in(wait, 3 * ms), nothing);  // as by 5 ms of slack
  late_figures ticks = late_in(wait, 0.2 * ms);
  ticks.tick = ms;
  add(spin_cut_short, ticks, nothing);
  add(polled_late, polled_in(wait, 8 * ms), nothing);
  late_figures between_polls = polled_in(drain, 8 * ms);
  between_polls.parts[wait] = {.sum = 100 * ms, .most = 16 * ms, .typical = 8 * ms};
  add(polled_late, between_polls, nothing);
  between_polls = polled_in(drain, 8 * ms);
  between_polls.drains = 120;  // one drain for each poll, because each poll found several
  between_polls.drained = 400;
  add(polled_late, between_polls, nothing);
  late_figures slow = late_in(worker, 20 * ms);
  slow.callbacks = 1'200 * ms;
  slow.longest_callback = 40 * ms;
  add(behind_callbacks, slow, nothing);
  std::swap(slow.parts[worker], slow.parts[drain]);
  add(behind_callbacks, slow, nothing);
  add(scheduled_late, late_in(drain, 300 * ms), nothing);
  add(scheduled_late, polled_in(drain, 300 * ms), nothing);
  add_executors_cases(add);
  add(not_visible, late_in(drain, 20 * ms), [](driver_evidence& e) { e = {}; });
  add(not_visible, late_in(wait, 20 * ms), [](driver_evidence& e) { e = {}; });
  add(not_visible, late_in(worker, 20 * ms), [](driver_evidence& e) { e = {}; });
  add(not_visible, polled_in(wait, 8 * ms), [](driver_evidence& e) { e = {}; });
  return cases;
}

TEST(LatenessDiagnosis, NamesEachReasonByItsEvidence) {
  std::set<late_scenario> named;
  std::size_t at = 0;
  for (const made_up_case& each : all_cases()) {
    const lateness_diagnosis found = diagnose(each.late, each.evidence);
    ASSERT_TRUE(found.is.has_value()) << at;
    EXPECT_EQ(words_for(*found.is).name, words_for(each.expected).name) << "case " << at;
    named.insert(each.expected);
    ++at;
  }
  EXPECT_EQ(named.size(), static_cast<std::size_t>(late_scenario::count_)) << "a reason without a case";
}

TEST(LatenessDiagnosis, TakesNoEvidenceThatExplainsTooLittle) {
  const auto named = [](const late_figures& late, const driver_evidence& evidence) {
    return words_for(diagnose(late, evidence).is.value()).name;
  };
  driver_evidence some = seen();
  some.waited = 20'000'000;  // in two seconds: 5 us for each of 4,000 wake-ups
  some.slices = 4'000;
  EXPECT_EQ(named(late_in(wait, 5 * ms), some), words_for(late_scenario::worker_away).name);
  EXPECT_EQ(named(late_in(drain, 300 * ms), some), words_for(late_scenario::scheduled_late).name);
  EXPECT_EQ(named(late_in(wait, 0.06 * ms), some), words_for(late_scenario::slept_too_long).name);
  // The watching program was stopped for a minute, but the engine was not.
  some.halted = some.longest_halt = 60'000'000'000;
  EXPECT_EQ(named(late_in(wait, 0.06 * ms), some), words_for(late_scenario::slept_too_long).name);
  // A callback that blocks for a second leaves the process as quiet as a stop does.
  late_figures blocked = late_in(worker, 400 * ms);
  blocked.longest_callback = second;
  some = seen();
  some.quiet = some.longest_quiet = 1'000'000'000;
  EXPECT_EQ(named(blocked, some), words_for(late_scenario::behind_callbacks).name);
  // Fifty periodic timers, each late once whenever a callback sleeps for 200 ms.
  blocked.pending = 50;
  blocked.scheduled = 0;
  blocked.parts[worker] = {.sum = 7 * 50 * 195 * ms, .most = 200 * ms, .typical = 195 * ms};
  blocked.fired = 3'400;
  blocked.callbacks = 1'400 * ms;
  some = seen();
  some.ran = 50'000'000;
  some.waited = 250'000'000;
  EXPECT_EQ(named(blocked, some), words_for(late_scenario::behind_callbacks).name);
  // Callbacks that fill the CPU do not mean that it lacks CPU, though the worker waits now and then.
  late_figures busy = late_in(worker, 20 * ms);
  busy.callbacks = 1.9 * second;
  some = seen();
  some.ran = 1'900'000'000;
  some.waited = 900'000'000;
  EXPECT_EQ(named(busy, some), words_for(late_scenario::behind_callbacks).name);
}

// Fifty timers that are due together, each 10 ms: each time the worker waits for a CPU, all of them wait.
TEST(LatenessDiagnosis, SeesALackOfCpuThatMakesManyTimersLateAtOnce) {
  late_figures late = late_in(wait, 2 * ms);
  late.fired = 10'000;
  late.scheduled = 0;
  late.parts[wait].sum = 10'000 * 2 * ms;
  driver_evidence starved = seen();
  starved.waited = 350'000'000;
  starved.slices = 200;
  EXPECT_EQ(diagnose(late, starved).is, late_scenario::worker_starved);
  // Only one time in ten, by 5 ms.
  late.parts[wait] = {.sum = 1'000 * 5 * ms, .most = 6 * ms, .typical = 5 * ms};
  starved.waited = 80'000'000;
  EXPECT_EQ(diagnose(late, starved).is, late_scenario::worker_starved);
}

TEST(LatenessDiagnosis, NamesTheHypervisorWhereItTookMoreThanTheWorkerWaited) {
  driver_evidence evidence = seen();
  evidence.waited = 800'000'000;
  evidence.stolen = 900'000'000;
  EXPECT_EQ(diagnose(late_in(wait, 4 * ms), evidence).is, late_scenario::cpu_stolen);
  evidence.stolen = 500'000'000;
  EXPECT_EQ(diagnose(late_in(wait, 4 * ms), evidence).is, late_scenario::worker_starved);
}

// No thread of the process runs while the only one blocks in a call of its own, or all of an executor do.
TEST(LatenessDiagnosis, CallsAProcessStoppedOnlyIfItsOwnWorkDoesNotExplainTheSilence) {
  driver_evidence quiet = seen();
  quiet.quiet = quiet.longest_quiet = 1'500'000'000;
  EXPECT_EQ(diagnose(polled_in(wait, 300 * ms), quiet).is, late_scenario::polled_late);
  late_figures refused = late_in(worker, 300 * ms);
  refused.hands_over = true;
  EXPECT_EQ(diagnose(refused, quiet).is, late_scenario::behind_callbacks);
}

// With missed_ticks::burst, each period of a stop has its run: 50 timers of 10 ms, stopped twice for 1.2 s.
TEST(LatenessDiagnosis, SeesAStopThatPeriodsMakeUpFor) {
  late_figures late = late_in(wait, 800 * ms);
  late.fired = 20'000;
  late.scheduled = 0;
  late.parts[wait] = {.sum = 12'000 * 600 * ms, .most = 1'200 * ms, .typical = 800 * ms};
  driver_evidence stopped = seen();
  stopped.stopped = 2'900'000'000;
  stopped.longest_stop = 1'450'000'000;
  EXPECT_EQ(diagnose(late, stopped).is, late_scenario::process_stopped);
}

// Timers that are scheduled 300 ms too late, beside a callback of 100 ms.
TEST(LatenessDiagnosis, BlamesNoCallbackForMoreThanItTook) {
  late_figures late = late_in(drain, 300 * ms);
  late.callbacks = 660 * ms;
  late.longest_callback = 100 * ms;
  EXPECT_EQ(diagnose(late, seen()).is, late_scenario::scheduled_late);
}

TEST(LatenessDiagnosis, SaysHowLongAllCallbacksTook) {
  late_figures late = late_in(worker, ms);
  late.callbacks = 1.2 * second;
  late.longest_callback = 0.002 * ms;
  EXPECT_EQ(text_of(diagnose(late, seen())), "other callbacks ran first: they took 1.2 s of 2 s, the longest 2 us");
}

TEST(LatenessDiagnosis, SaysNothingOfAnEngineThatIsOnTime) {
  EXPECT_FALSE(diagnose(late_in(wait, 0), seen()).is.has_value());
  EXPECT_EQ(text_of(lateness_diagnosis()) + cure_of(lateness_diagnosis()), "");
}

TEST(LatenessDiagnosis, SaysWhatKeepsADriverFromTheTimerThatIsOverdue) {
  driver_evidence evidence = seen();
  EXPECT_FALSE(diagnose_overdue(true, evidence).is);
  EXPECT_EQ(overdue_text(3 * second, {}), "its next timer was due 3 s ago, and it runs none");
  evidence.waiting = 0.99;
  evidence.rival = "hog (4711) had CPU 3 for 99 % of the time";
  const lateness_diagnosis starved = diagnose_overdue(true, evidence);
  EXPECT_EQ(overdue_text(3 * second, starved),
            "its next timer was due 3 s ago, and it runs none; the worker had too little CPU: hog (4711) had CPU 3 for "
            "99 % of the time");
  EXPECT_EQ(overdue_cure(starved), words_for(late_scenario::worker_starved).cure);
  EXPECT_EQ(diagnose_overdue(false, evidence).is, late_scenario::loop_starved);
  evidence.is_throttled = true;
  EXPECT_EQ(diagnose_overdue(true, evidence).is, late_scenario::quota_used_up);
  evidence.is_stopped = true;
  EXPECT_EQ(diagnose_overdue(true, evidence).is, late_scenario::process_stopped);
}

TEST(LatenessDiagnosis, HasTheEvidenceInItsText) {
  driver_evidence starved = seen();
  starved.waited = 900'000'000;
  starved.rival = "hog (4711) had CPU 3 for 62 % of the time";
  const lateness_diagnosis found = diagnose(late_in(wait, 4 * ms), starved);
  EXPECT_EQ(text_of(found),
            "the worker had too little CPU: 900 ms of 2 s ready to run but waiting; hog (4711) had CPU 3 for 62 % of "
            "the time");
  EXPECT_EQ(cure_of(found), words_for(late_scenario::worker_starved).cure);
}

TEST(LatenessDiagnosis, CallsTheLargestShareOfTheSumTheMainPart) {
  EXPECT_EQ(main_part({25, 74.8, 0.2, 0}), wait);
  EXPECT_FALSE(main_part({0, 0, 0, 0}).has_value());
}

// The cures for a worker's wait modes do not fit an engine without a worker.
TEST(LatenessDiagnosis, OffersACallerNoOptionOfAWorker) {
  for (const made_up_case& each : all_cases()) {
    if (each.late.wait) continue;
    const std::string cure = cure_of(diagnose(each.late, each.evidence));
    for (const char* const option : {"busy()", "hybrid()", "engine_options::cpu", "realtime_priority", "max_spin"})
      EXPECT_EQ(cure.find(option), std::string::npos) << cure;
  }
}

TEST(LatenessPage, HasTheTableOfTheCommandWordForWord) {
  std::ifstream file(DETENT_DOCS "/lateness.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::string table = "| why | late by | how it is recognized | what helps |\n|---|---|---|---|\n";
  for (const scenario_words& each : all_scenarios()) {
    for (const std::string_view cell : {each.name, each.late_by, each.sign, each.cure})
      table += "| " + std::string(cell) + " ";
    table += "|\n";
  }
  EXPECT_NE(page.find(table + "\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace detent::tool
