// SPDX-License-Identifier: MIT
// Schedules where a grammar alone does not decide: clocks that jump, days that are chosen, errors. The grammar is in
// cases.csv.
#include <gtest/gtest.h>
#include <detent/schedule.hpp>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "support.hpp"

namespace detent::calendar_test {
namespace {

using namespace std::chrono_literals;

TEST(Schedule, AFixedTimeThatTheClockSkipsIsDueAtTheEndOfTheGapOrNotAtAll) {
  const wall_time before = at(2024, 3, 10, 0);
  const auto after = schedule::quartz("0 30 2 * * ?", in("America/New_York"));
  EXPECT_EQ(due(after, before, 2), (times{at(2024, 3, 10, 7), at(2024, 3, 11, 6, 30)}));
  EXPECT_EQ(after.next(at(2024, 3, 10, 7) - 1ns), at(2024, 3, 10, 7));
  EXPECT_EQ(after.next(at(2024, 3, 10, 7)), at(2024, 3, 11, 6, 30));
  const auto skip = schedule::quartz("0 30 2 * * ?", in("America/New_York", in_gap::skip));
  EXPECT_EQ(due(skip, before, 1), (times{at(2024, 3, 11, 6, 30)}));
  const auto several = schedule::quartz("0 10,20,30 2,3 * * ?", in("America/New_York"));
  EXPECT_EQ(due(several, before, 3), (times{at(2024, 3, 10, 7), at(2024, 3, 10, 7, 10), at(2024, 3, 10, 7, 20)}));
}

TEST(Schedule, AFixedTimeThatTheClockShowsTwiceIsDueAtTheFirstOrTwice) {
  const wall_time before = at(2024, 11, 3, 0);
  const auto once = schedule::unix_cron("30 1 * * *", in("America/New_York"));
  EXPECT_EQ(due(once, before, 2), (times{at(2024, 11, 3, 5, 30), at(2024, 11, 4, 6, 30)}));
  EXPECT_EQ(due(once, at(2024, 11, 3, 6, 10), 1), (times{at(2024, 11, 4, 6, 30)})) << "asked between the two";
  const auto twice = schedule::unix_cron("30 1 3 11 *", in("America/New_York", in_gap::after, in_overlap::twice));
  EXPECT_EQ(due(twice, before, 3), (times{at(2024, 11, 3, 5, 30), at(2024, 11, 3, 6, 30), at(2025, 11, 3, 6, 30)}));
}

TEST(Schedule, WhatGoesByElapsedTimeNeitherLosesNorRepeatsARun) {
  for (const char* const hourly : {"0 * * * *", "0 */1 * * *", "@hourly"}) {
    const auto when = schedule::unix_cron(hourly, in("America/New_York", in_gap::after, in_overlap::once));
    for (const wall_time start : {at(2024, 3, 10, 4), at(2024, 11, 3, 3)}) {
      wall_time expected = start;
      for (const wall_time each : due(when, start, 8)) EXPECT_EQ(each, expected += 1h) << hourly;
    }
  }
}

TEST(Schedule, AMidnightThatIsSkippedIsNoDayLost) {
  EXPECT_EQ(due(schedule::unix_cron("@daily", in("Africa/Cairo")), at(2024, 4, 25, 12), 2),
            (times{at(2024, 4, 25, 22), at(2024, 4, 26, 21)}));
}

TEST(Schedule, ADayThatTheZoneLeftOutDoesNotExist) {
  const auto noon = schedule::daily(12h, in("Pacific/Apia"));
  EXPECT_EQ(due(noon, at(2011, 12, 29, 12), 2), (times{at(2011, 12, 29, 22), at(2011, 12, 30, 22)}))
      << "the 29th, the 31st";
}

TEST(Schedule, DaylightSavingGoesOnAfter2037) {
  EXPECT_EQ(due(schedule::quartz("0 0 12 1 1,7 ? 2040", in("America/New_York")), at(2039, 12, 1), 3),
            (times{at(2040, 1, 1, 17), at(2040, 7, 1, 16)}));
}

TEST(Schedule, NextIsStrictlyLaterToTheNanosecond) {
  const auto each_second = schedule::quartz("* * * * * ?");
  EXPECT_EQ(each_second.next(at(2024, 1, 1)), at(2024, 1, 1, 0, 0, 1));
  EXPECT_EQ(each_second.next(at(2024, 1, 1) - 1ns), at(2024, 1, 1));
  EXPECT_EQ(each_second.next(at(2024, 1, 1) + 1ns), at(2024, 1, 1, 0, 0, 1));
  EXPECT_EQ(each_second.next(wall_time::min()), at(1970, 1, 1));
  EXPECT_EQ(each_second.next(wall_time::max()), std::nullopt);
}

TEST(Schedule, ShiftedIsByElapsedTimeAndKeepsTheDaysOfTheRule) {
  const std::array closed = {civil_day(year(2024) / 3 / 11)};
  const auto close = schedule::quartz("0 0 16 ? * MON-FRI", in("America/New_York"));
  const auto warning = close.only_on(day_set::every_day().without(closed)).shifted(-5min);
  EXPECT_EQ(due(warning, at(2024, 3, 8), 2), (times{at(2024, 3, 8, 20, 55), at(2024, 3, 12, 19, 55)}));
  EXPECT_EQ(due(warning, at(2024, 3, 8, 20, 55), 1), (times{at(2024, 3, 12, 19, 55)}));
  EXPECT_EQ(due(close.shifted(12h).shifted(-12h), at(2024, 3, 8), 1), (times{at(2024, 3, 8, 21)}));
}

TEST(Schedule, AHalfDayHasItsOwnClose) {
  const std::array half = {civil_day(year(2024) / 7 / 3)};
  const day_set whole = day_set::weekdays().without(half);
  const auto close = schedule::daily(16h, in("America/New_York")).only_on(whole);
  const auto early = schedule::daily(13h, in("America/New_York")).only_on(day_set::weekdays() & day_set::of(half));
  EXPECT_EQ(due(close, at(2024, 7, 2), 2), (times{at(2024, 7, 2, 20), at(2024, 7, 4, 20)}));
  EXPECT_EQ(due(early, at(2024, 7, 2), 2), (times{at(2024, 7, 3, 17)}));
}

TEST(Schedule, BeyondWhatTheDaysKnowNextFailsLoudly) {
  const auto known = day_set::every_day().known_until(year(2024) / 11 / 3);
  const auto twice =
      schedule::daily(1h + 30min, in("America/New_York", in_gap::after, in_overlap::twice)).only_on(known);
  EXPECT_EQ(due(twice, at(2024, 11, 3, 5), 2), (times{at(2024, 11, 3, 5, 30), at(2024, 11, 3, 6, 30)}));
  try {
    twice.next(at(2024, 11, 3, 6, 30));
    FAIL() << "an answer about a day that is not known";
  } catch (const error& trouble) {
    EXPECT_EQ(trouble.code(), calendar_errc::days_exhausted);
    EXPECT_NE(std::string(trouble.what()).find("2024-11-03"), std::string::npos) << trouble.what();
  }
  const auto at_midnight = day_set::every_day().known_until(year(2018) / 2 / 17);  // the clock shows this hour twice
  const auto late = schedule::daily(23h + 30min, in("America/Sao_Paulo", in_gap::after, in_overlap::twice));
  EXPECT_EQ(due(late.only_on(at_midnight), at(2018, 2, 18), 2),
            (times{at(2018, 2, 18, 1, 30), at(2018, 2, 18, 2, 30)}));
  const auto only_2024 = schedule::quartz("0 0 9 3 11 ? 2024").only_on(known);
  EXPECT_EQ(only_2024.next(at(2024, 11, 4)), std::nullopt) << "no day is asked about";
}

struct refused_case {
  const char* expression;
  const char* field;
  const char* value;
  std::size_t column;
};

void expect_refused(const refused_case& each, schedule (*factory)(std::string_view, schedule_options)) {
  try {
    factory(each.expression, {});
    ADD_FAILURE() << each.expression << " is accepted";
  } catch (const schedule_error& trouble) {
    EXPECT_EQ(trouble.code(), calendar_errc::invalid_schedule);
    EXPECT_EQ(trouble.field(), each.field) << trouble.what();
    EXPECT_EQ(trouble.value(), each.value) << trouble.what();
    EXPECT_EQ(trouble.column(), each.column) << trouble.what();
    const std::string what = trouble.what();
    EXPECT_NE(what.find(each.value), std::string::npos) << what;
    EXPECT_NE(what.find("column " + std::to_string(each.column)), std::string::npos) << what;
  }
}

TEST(Schedule, WhatQuartzDoesNotMeanIsRefusedAtItsField) {
  const refused_case cases[] = {{"*/0 * * * * ?", "second", "*/0", 1},
                                {"1,,2 * * * * ?", "second", "", 3},
                                {"0/60 * * * * ?", "second", "0/60", 1},
                                {"0 0 0 * * ? * *", "field 8", "*", 15},
                                {"0 0 0 * *", "expression", "0 0 0 * *", 1},
                                {"", "expression", "", 1},
                                {"0 0 0 1 * MON", "day of week", "MON", 11},
                                {"0 0 0 ? * ?", "day of week", "?", 11},
                                {"0 0 0 ? * SAT,SUN,L", "day of week", "SAT,SUN,L", 11},
                                {"0 0 0 ? * MON-FRI/2", "day of week", "MON-FRI/2", 11},
                                {"0 0 0 ? * 0", "day of week", "0", 11},
                                {"0 0 0 15,L * ?", "day of month", "15,L", 7},
                                {"0 0  0 L-31 * ?", "day of month", "31", 10},
                                {"0 0 0 0W * ?", "day of month", "0", 7},
                                {"0 0 24 * * ?", "hour", "24", 5},
                                {"0 0 0 1 MAY-13 ?", "month", "13", 13},
                                {"0 0 0 1 * ? 2200", "year", "2200", 13},
                                {"? 0 0 * * ?", "second", "?", 1},
                                {"0 0 0 30 FEB ?", "day of month", "30", 7}};
  for (const refused_case& each : cases) expect_refused(each, schedule::quartz);
}

TEST(Schedule, WhatCrontabDoesNotMeanIsRefusedAtItsField) {
  const refused_case cases[] = {{"0 0 ? * 1", "day of month", "?", 5},     {"0 0 * * 8", "day of week", "8", 9},
                                {"0 0 L * *", "day of month", "L", 5},     {"0 0 * * 5-1", "day of week", "5-1", 9},
                                {"0 0 0 1 1 *", "field 6", "*", 11},       {"@reboot", "expression", "@reboot", 1},
                                {"*/90 * * * *", "minute", "*/90", 1},     {"0 0 31 4,6 *", "day of month", "31", 5},
                                {"0 0 1 JANUARY *", "month", "JANUARY", 7}};
  for (const refused_case& each : cases) expect_refused(each, schedule::unix_cron);
}

TEST(Schedule, WhatIsNeverDueSaysSoAndWhatIsOnlyWrongDoesNot) {
  const auto never_due = [](const char* expression) {
    try {
      schedule::quartz(expression);
    } catch (const schedule_error& trouble) {
      return trouble.never_due();
    }
    return false;
  };
  EXPECT_TRUE(never_due("0 0 0 30 2 ?"));
  EXPECT_TRUE(never_due("0 0 0 29 2 ? 2023"));
  EXPECT_FALSE(never_due("0 0 0 32 2 ?"));
  EXPECT_FALSE(never_due("0 0 0 29 2 ?"));
}

TEST(Schedule, ATimeOfDayIsWithinTheDay) {
  EXPECT_THROW(schedule::daily(24h), schedule_error);
  EXPECT_THROW(schedule::daily(-1s), schedule_error);
  EXPECT_EQ(schedule::daily(23h + 59min + 59s).text(), "23:59:59");
}

}  // namespace
}  // namespace detent::calendar_test
