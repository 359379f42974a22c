// SPDX-License-Identifier: MIT
// Timers of a calendar: once, on schedules, their ends, their errors.
#include "support/temporary_directory.hpp"
#include "virtual_calendar.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace detent::calendar_test {
namespace {

using std::chrono::seconds;

schedule hourly() { return schedule::quartz("0 0 * * * ?"); }

TEST(Calendar, RunsOnceAtItsWallTimeAndNotBefore) {
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_at(at(2024, 1, 2, 9, 30), [&](calendar_firing& run) { ran.add(run); });
  test.go_on_for(hours(9) + minutes(30) - duration(1));
  EXPECT_EQ(ran.planned, times{});
  test.go_on_for(duration(1));
  test.go_on_for(hours(100));
  EXPECT_EQ(ran.planned, (times{at(2024, 1, 2, 9, 30)}));
}

TEST(Calendar, RunsAtEachTimeOfAScheduleByOneHandle) {
  virtual_calendar test;
  run_log ran;
  std::vector<timer> handles;
  std::optional<wall_time> next;
  const timer one = test.timers.schedule_on(hourly(), [&](calendar_firing& run) {
    ran.add(run);
    handles.push_back(run.run().self());
    next = run.next();
    EXPECT_EQ(test.timers.now(), run.planned());
  });
  test.go_on_for(hours(3));
  EXPECT_EQ(ran.planned, due(hourly(), virtual_calendar::epoch(), 3));
  EXPECT_EQ(handles, (std::vector<timer>{one, one, one}));
  EXPECT_EQ(next, at(2024, 1, 2, 4));
}

TEST(Calendar, CancelAnswersExactlyAndDestroysTheCaptures) {
  virtual_calendar test;
  auto captured = std::make_shared<int>();
  timer every = test.timers.schedule_on(hourly(), [captured] {});
  test.go_on_for(hours(2));
  EXPECT_EQ(captured.use_count(), 2);
  EXPECT_EQ(every.cancel(), cancel_result::cancelled);
  EXPECT_EQ(captured.use_count(), 1);
  EXPECT_EQ(every.cancel(), cancel_result::gone);
  EXPECT_EQ(test.engine.pending(), 0u);
}

TEST(Calendar, CancelledInsideItsRunNeverRunsAgain) {
  virtual_calendar test;
  run_log ran;
  timer every;
  every = test.timers.schedule_on(hourly(), [&](calendar_firing& run) {
    ran.add(run);
    EXPECT_EQ(every.cancel(), cancel_result::running);
  });
  test.go_on_for(hours(5));
  EXPECT_EQ(ran.planned.size(), 1u);
  EXPECT_EQ(test.engine.pending(), 0u);
}

TEST(Calendar, EndsAfterTheRunsThatWereAskedForAndReportsNothing) {
  int ends = 0;
  virtual_calendar test({.on_end = [&](const schedule_end&) { ++ends; }});
  run_log ran;
  test.timers.schedule_on(hourly(), [&](calendar_firing& run) { ran.add(run); }, {.runs = 2});
  test.go_on_for(hours(5));
  EXPECT_EQ(ran.planned.size(), 2u);
  EXPECT_EQ(ends, 0);
}

TEST(Calendar, GoesOnAfterACallbackThatThrew) {
  virtual_calendar test;
  int runs = 0;
  ::testing::internal::CaptureStderr();
  test.timers.schedule_on(hourly(), [&] {
    if (++runs == 1) throw std::runtime_error("the first");
  });
  test.go_on_for(hours(3));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("the first"), std::string::npos);
  EXPECT_EQ(runs, 3);
}

TEST(Calendar, ReportsTheEndOfTheKnownDaysInsteadOfRunningOnAnUnknownOne) {
  std::vector<std::string> ends;
  wall_time last{};
  virtual_calendar test({.on_end = [&](const schedule_end& end) {
    if (end.days_exhausted) ends.push_back(end.what());
    last = end.last;
  }});
  const day_set days = day_set::weekdays() & day_set::from_text("2024-01-03\nuntil 2024-01-05\n", "test.days");
  run_log ran;
  const timer open = test.timers.schedule_on(schedule::quartz("0 30 9 * * ?").only_on(days),
                                             [&](calendar_firing& run) { ran.add(run); });
  test.go_on_for(std::chrono::days(30));
  EXPECT_EQ(ran.planned, (times{at(2024, 1, 2, 9, 30), at(2024, 1, 4, 9, 30), at(2024, 1, 5, 9, 30)}));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0],
            "schedule '0 30 9 * * ?' has ended after 2024-01-05: its list of days ends there; it needs "
            "a newer one");
  EXPECT_EQ(last, at(2024, 1, 5, 9, 30));
  EXPECT_FALSE(open.pending());
}

TEST(Calendar, SaysOnStandardErrorThatAScheduleHasEndedWhereNobodyAsked) {
  virtual_calendar test;
  test.timers.schedule_on(schedule::quartz("0 0 1 2 1 ? 2024"), [] {});
  ::testing::internal::CaptureStderr();
  test.go_on_for(hours(2));
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "detent: calendar: schedule '0 0 1 2 1 ? 2024' has ended after 2024-01-02: it has no due time before the year "
      "2200\n");
}

TEST(Calendar, RefusesAScheduleThatIsOver) {
  virtual_calendar test;
  const day_set days = day_set::every_day().known_until(std::chrono::year(2024) / 1 / 1);
  EXPECT_THROW(test.timers.schedule_on(schedule::quartz("0 0 1 2 1 ? 2023"), [] {}), schedule_error);
  try {
    test.timers.schedule_on(hourly().only_on(days), [] {});
    FAIL();
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), calendar_errc::days_exhausted);
  }
  EXPECT_EQ(test.engine.pending(), 0u);
}

TEST(Calendar, NamesTheOptionThatIsImpossible) {
  const auto refusal = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::invalid_option);
      return problem.what();
    }
    return "accepted";
  };
  virtual_calendar test;
  engine real({.drive = drive_kind::caller});
  EXPECT_NE(refusal([&] { calendar none(test.engine); }).find("virtual_epoch"), std::string::npos);
  EXPECT_NE(refusal([&] { calendar none(real, {.virtual_epoch = wall_time()}); }).find("virtual_epoch"),
            std::string::npos);
  EXPECT_NE(refusal([&] { test.timers.schedule_on(hourly(), [] {}, {.most = 0}); }).find("most = 0: "),
            std::string::npos);
  EXPECT_NE(refusal([&] { test.timers.schedule_at({}, [] {}, {.misfire_after = duration(-1)}); }).find("-1 ns"),
            std::string::npos);
  EXPECT_NE(refusal([&] { test.timers.schedule_at({}, [] {}, {.lane = 4}); }).find("lane"), std::string::npos);
}

TEST(Calendar, EndsItsTimersWithItself) {
  manual_clock clock;
  engine of({.manual = &clock});
  auto captured = std::make_shared<int>();
  {
    calendar timers(of, {.virtual_epoch = virtual_calendar::epoch()});
    timers.schedule_on(hourly(), [captured] {});
    calendar moved = std::move(timers);
    EXPECT_EQ(of.pending(), 1u);
  }
  EXPECT_EQ(of.pending(), 0u);
  EXPECT_EQ(captured.use_count(), 1);
}

TEST(Calendar, WhatStopReturnsMayOutliveIt) {
  std::vector<unfired_timer> left;
  int runs = 0;
  {
    virtual_calendar test;
    test.timers.schedule_on(hourly(), [&] { ++runs; });
    left = test.engine.stop();
  }
  ASSERT_EQ(left.size(), 1u);
  left[0].run();
  EXPECT_EQ(runs, 1);
}

TEST(Calendar, MovesWhatIsPendingWhenItsZoneIsReadAgain) {
  namespace fs = std::filesystem;
  const test::temporary_directory own;
  const fs::path of_host = "/usr/share/zoneinfo", zone = own.path() + "/Testland";
  const char* const before = std::getenv("TZDIR");
  setenv("TZDIR", own.path().c_str(), 1);
  const auto becomes = [&](const char* like) {
    fs::copy_file(of_host / like, zone, fs::copy_options::overwrite_existing);
  };
  becomes("America/New_York");
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_on(schedule::daily(hours(12), in("Testland")), [&](calendar_firing& run) { ran.add(run); });
  test.timers.schedule_on(hourly(), [] {});
  becomes("Asia/Tokyo");
  EXPECT_EQ(test.timers.reload_zones(), 1u);
  test.go_on_for(hours(24));
  EXPECT_EQ(ran.planned, (times{at(2024, 1, 2, 3)}));  // 12:00 in that zone

  fs::remove(zone);
  EXPECT_THROW(test.timers.reload_zones(), error);
  test.go_on_for(hours(24));
  EXPECT_EQ(ran.planned.size(), 2u);
  before != nullptr ? setenv("TZDIR", before, 1) : unsetenv("TZDIR");
}

}  // namespace
}  // namespace detent::calendar_test
