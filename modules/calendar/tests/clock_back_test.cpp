// SPDX-License-Identifier: MIT
// A calendar whose clock is set back. Schedules by elapsed time go on at once, and fixed times do not repeat, as
// cron(8) has it; after a large step all schedules begin again.
#include "virtual_calendar.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace detent::calendar_test {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::seconds;

schedule each_second() { return schedule::quartz("* * * * * ?"); }
schedule each_minute() { return schedule::quartz("0 * * * * ?"); }
schedule hourly() { return schedule::quartz("0 0 * * * ?"); }

times minutes_of_day(std::initializer_list<int> minutes) {
  times all;
  for (const int minute : minutes) all.push_back(virtual_calendar::epoch() + std::chrono::minutes(minute));
  return all;
}

// Returns the runs of `when` around a step back of the clock.
times run_around_a_step(const schedule& when, duration before, duration step, duration after,
                        calendar_set_up set_up = {}) {
  virtual_calendar test(std::move(set_up));
  run_log ran;
  test.timers.schedule_on(when, [&](calendar_firing& run) { ran.add(run); });
  test.go_on_for(before);
  test.set_clock(test.timers.now() - step);
  test.go_on_for(after);
  return ran.planned;
}

TEST(CalendarBack, ByElapsedTimeAScheduleGoesOnAtOnce) {
  EXPECT_EQ(run_around_a_step(each_minute(), minutes(5), minutes(3), minutes(5)),
            minutes_of_day({1, 2, 3, 4, 5, 3, 4, 5, 6, 7}));
  EXPECT_EQ(run_around_a_step(hourly(), minutes(150), minutes(100), minutes(80)), minutes_of_day({60, 120, 60, 120}));
}

TEST(CalendarBack, ByElapsedTimeAScheduleGoesOnWhereItsFirstRunIsStillToCome) {
  EXPECT_EQ(run_around_a_step(hourly(), seconds(1), minutes(59), minutes(121)), minutes_of_day({0, 60}));
}

// So the distance between two runs is less than twice what it should be, and no small step repeats a run.
TEST(CalendarBack, ByElapsedTimeTheLastRunDoesNotComeAgain) {
  EXPECT_EQ(run_around_a_step(each_minute(), minutes(5), milliseconds(2), minutes(2)),
            minutes_of_day({1, 2, 3, 4, 5, 6}));
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_on(each_second(), [&](calendar_firing& run) { ran.add(run); });
  for (int step = 0; step < 1000; ++step) {
    test.go_on_for(seconds(1));
    test.set_clock(test.timers.now() - milliseconds(2));
  }
  EXPECT_EQ(ran.planned, due(each_second(), virtual_calendar::epoch(), 998));
}

TEST(CalendarBack, AFixedTimeIsNotRepeated) {
  const schedule half_past = schedule::unix_cron("30 1,2 * * *");
  for (const duration large : {duration(0), duration(hours(1)), duration(hours(3)), duration(days(1))}) {
    EXPECT_EQ(run_around_a_step(half_past, minutes(180), minutes(120), hours(25), {.large_step = large}),
              minutes_of_day({90, 150, 1440 + 90}))
        << large / minutes(1);
  }
  EXPECT_EQ(run_around_a_step(half_past, minutes(360), hours(5), hours(25), {.large_step = hours(6)}),
            minutes_of_day({90, 150, 1440 + 90}));
}

TEST(CalendarBack, AFixedTimeThatIsStillToComeRuns) {
  EXPECT_EQ(run_around_a_step(schedule::unix_cron("30 2 * * *"), minutes(140), minutes(60), minutes(100)),
            minutes_of_day({150}));
}

// The clock is ahead by mistake for a moment. The times that it passed have run at once or were skipped.
TEST(CalendarBack, AfterAMistakeEachJobRunsOnceThatDay) {
  for (const misfire rule : {misfire::once, misfire::all, misfire::skip}) {
    virtual_calendar test;
    run_log minutely, fixed;
    test.timers.schedule_on(each_minute(), [&](calendar_firing& run) { minutely.add(run); }, {.on_misfire = rule});
    test.timers.schedule_on(schedule::unix_cron("30 1 * * *"), [&](calendar_firing& run) { fixed.add(run); },
                            {.on_misfire = rule});
    test.go_on_for(seconds(150));
    test.set_clock(test.timers.now() + hours(2));
    test.go_on_for(seconds(5));
    test.set_clock(test.timers.now() - hours(2));
    minutely = {};
    test.go_on_for(hours(4));
    EXPECT_EQ(minutely.planned, due(each_minute(), virtual_calendar::epoch() + minutes(2), 240));
    EXPECT_EQ(fixed.planned, minutes_of_day({90}));
  }
}

TEST(CalendarBack, InARunIsFollowedByItsNext) {
  for (const bool elapsed : {true, false}) {
    virtual_calendar test;
    run_log ran;
    test.timers.schedule_on(elapsed ? each_minute() : schedule::unix_cron("0-30 0 * * *"), [&](calendar_firing& run) {
      ran.add(run);
      if (ran.planned.size() == 3) test.timers.set_virtual_clock(virtual_calendar::epoch() + seconds(30));
    });
    test.go_on_for(minutes(6) + seconds(45));
    EXPECT_EQ(ran.planned, elapsed ? minutes_of_day({1, 2, 3, 1, 2, 3, 4}) : minutes_of_day({1, 2, 3, 4}));
  }
}

TEST(CalendarBack, ByALotLetSchedulesBeginAgain) {
  virtual_calendar test;
  run_log ran;
  test.set_clock(at(2031, 1, 1));
  test.timers.schedule_on(hourly(), [&](calendar_firing& run) { ran.add(run); });
  test.go_on_for(hours(1));
  test.set_clock(at(2024, 1, 2, 0, 30));
  test.go_on_for(hours(1));
  EXPECT_EQ(ran.planned, (times{at(2031, 1, 1, 1), at(2024, 1, 2, 1)}));
}

void set_back_in_the_first_run(virtual_calendar& test, run_log& ran) {
  test.set_clock(at(2031, 1, 1));
  test.timers.schedule_on(hourly(), [&](calendar_firing& run) {
    ran.add(run);
    if (ran.planned.size() == 1) test.timers.set_virtual_clock(at(2024, 1, 2, 0, 30));
  });
}

TEST(CalendarBack, ByALotInARunLetItsScheduleBeginAgain) {
  virtual_calendar test;
  run_log ran;
  set_back_in_the_first_run(test, ran);
  test.go_on_for(hours(2));
  EXPECT_EQ(ran.planned.at(1), at(2024, 1, 2, 1));
}

TEST(CalendarBack, ByALotInARunAreNotUndoneByAReloadOfTheZones) {
  virtual_calendar test;
  run_log ran;
  set_back_in_the_first_run(test, ran);
  test.go_on_for(minutes(70));
  EXPECT_EQ(test.timers.reload_zones(), 0u);
  test.go_on_for(minutes(60));
  EXPECT_EQ(ran.planned.at(1), at(2024, 1, 2, 1));
}

// The run that the wrong date made late does not admit the times up to that date.
TEST(CalendarBack, ByALotHaveMisfiresCountAgain) {
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_on(each_minute(), [&](calendar_firing& run) { ran.add(run); });
  test.set_clock(at(2031, 1, 1, 0, 0, 30));
  test.set_clock(virtual_calendar::epoch());
  ran = {};
  test.sleep_for(hours(3));
  EXPECT_EQ(ran.planned, (times{virtual_calendar::epoch() + hours(3)}));
  EXPECT_EQ(ran.missed, std::vector<std::uint64_t>{179});
}

TEST(CalendarBack, ByALotLetsFixedTimesBeginAgain) {
  EXPECT_EQ(run_around_a_step(schedule::daily(hours(5)), hours(6), hours(4), hours(4)), minutes_of_day({300, 300}));
}

TEST(CalendarBack, ByALotIsFollowedBySmallStepsLikeAnyOther) {
  virtual_calendar test;
  run_log ran;
  test.set_clock(at(2031, 1, 1));
  test.timers.schedule_on(schedule::unix_cron("30 1,2 * * *"), [&](calendar_firing& run) { ran.add(run); });
  test.go_on_for(hours(2));
  test.set_clock(virtual_calendar::epoch() + hours(2));
  test.set_clock(virtual_calendar::epoch() + hours(1));
  test.go_on_for(hours(2));
  EXPECT_EQ(ran.planned, (times{at(2031, 1, 1, 1, 30), at(2024, 1, 2, 1, 30), at(2024, 1, 2, 2, 30)}));
}

}  // namespace
}  // namespace detent::calendar_test
