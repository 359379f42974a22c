// SPDX-License-Identifier: MIT
// A calendar while its clock is set, and after times that it slept through.
#include "virtual_calendar.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace detent::calendar_test {
namespace {

using std::chrono::days;
using std::chrono::seconds;

schedule each_minute() { return schedule::quartz("0 * * * * ?"); }
schedule hourly() { return schedule::quartz("0 0 * * * ?"); }

struct rule {
  misfire on_misfire;
  times planned;         // of the late runs
  std::uint64_t missed;  // of the first run
  std::uint64_t missed_of_all;
};
class MisfireRule : public ::testing::TestWithParam<rule> {
 public:
  static times of(std::initializer_list<int> minutes) {
    times all;
    for (const int minute : minutes) all.push_back(at(2024, 1, 2, 0, minute));
    return all;
  }
};

TEST_P(MisfireRule, DecidesAboutThreeRunsThatTheProcessSleptThrough) {
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_on(each_minute(), [&](calendar_firing& run) { ran.add(run); },
                          {.on_misfire = GetParam().on_misfire});
  test.sleep_for(minutes(3) + seconds(20));
  EXPECT_EQ(ran.planned, GetParam().planned);
  EXPECT_EQ(test.timers.missed(), GetParam().missed_of_all);
  test.go_on_for(minutes(1));
  ASSERT_EQ(ran.planned.size(), GetParam().planned.size() + 1);
  EXPECT_EQ(ran.planned.back(), at(2024, 1, 2, 0, 4));
  EXPECT_EQ(ran.missed.front(), GetParam().missed);
}

TEST_P(MisfireRule, DecidesAboutThreeRunsThatTheClockWasSetOver) {
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_on(each_minute(), [&](calendar_firing& run) { ran.add(run); },
                          {.on_misfire = GetParam().on_misfire});
  test.set_clock(virtual_calendar::epoch() + minutes(3) + seconds(20));
  EXPECT_EQ(ran.planned, GetParam().planned);
  test.go_on_for(seconds(40));
  EXPECT_EQ(ran.planned.back(), at(2024, 1, 2, 0, 4));
}

INSTANTIATE_TEST_SUITE_P(Each, MisfireRule,
                         ::testing::Values(rule{misfire::skip, {}, 3, 3},
                                           rule{misfire::once, MisfireRule::of({3}), 2, 2},
                                           rule{misfire::all, MisfireRule::of({1, 2, 3}), 0, 0}));

TEST(CalendarMisfire, SkipsNothingThatIsLateByNoMoreThanAllowed) {
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_on(each_minute(), [&](calendar_firing& run) { ran.add(run); },
                          {.on_misfire = misfire::skip, .misfire_after = seconds(70)});
  test.sleep_for(minutes(3) + seconds(10));
  ASSERT_EQ(ran.planned, MisfireRule::of({2, 3}));
  EXPECT_EQ(ran.missed[0], 1u);
}

TEST(CalendarMisfire, RunsTheLatestOfThemUpToTheBound) {
  virtual_calendar test;
  run_log ran;
  test.timers.schedule_on(each_minute(), [&](calendar_firing& run) { ran.add(run); },
                          {.on_misfire = misfire::all, .most = 2});
  test.sleep_for(minutes(5) + seconds(30));
  EXPECT_EQ(ran.planned, MisfireRule::of({4, 5}));
  EXPECT_EQ(ran.missed, (std::vector<std::uint64_t>{3, 0}));
}

TEST(CalendarMisfire, MakesNoBurstOfAYearAsleep) {
  virtual_calendar test;
  run_log all, once;
  const schedule each_second = schedule::quartz("* * * * * ?");
  test.timers.schedule_on(each_second, [&](calendar_firing& run) { all.add(run); }, {.on_misfire = misfire::all});
  test.timers.schedule_on(each_second, [&](calendar_firing& run) { once.add(run); });
  test.sleep_for(days(365));
  const wall_time now = virtual_calendar::epoch() + days(365);
  EXPECT_EQ(all.planned.size(), 1000u);
  EXPECT_EQ(all.planned.back(), now);
  EXPECT_EQ(once.planned, (times{now}));
}

// There are more than are counted one by one.
TEST(CalendarMisfire, RunsTheLatestUpToTheBoundHoweverSparseTheyAre) {
  for (const char* const text : {"0 * * * * ?", "0/10 * * * * ?", "* * 9-16 ? * MON-FRI"}) {
    virtual_calendar test;
    const schedule when = schedule::quartz(text);
    run_log ran;
    test.timers.schedule_on(when, [&](calendar_firing& run) { ran.add(run); }, {.on_misfire = misfire::all});
    test.sleep_for(days(82) + hours(12));  // to a Sunday
    times all;
    for (auto next = when.next(at(2024, 3, 22)); *next <= test.timers.now(); next = when.next(*next))
      all.push_back(*next);
    ASSERT_GT(all.size(), 1000u) << text;
    EXPECT_EQ(ran.planned, times(all.end() - 1000, all.end())) << text;
  }
}

TEST(CalendarMisfire, SkippedAtTheEndOfTheKnownDaysEndAfterTheLastOfThem) {
  std::vector<wall_time> ends;
  virtual_calendar test({.on_end = [&](const schedule_end& end) { ends.push_back(end.last); }});
  const day_set days_of_january = day_set::every_day().known_until(std::chrono::year(2024) / 1 / 31);
  test.timers.schedule_on(schedule::daily(hours(9)).only_on(days_of_january), [] {}, {.on_misfire = misfire::skip});
  test.sleep_for(days(60));
  EXPECT_EQ(ends, (times{at(2024, 1, 31, 9)}));
}

TEST(CalendarMisfire, OfOneTimeRunsLateOrIsSkipped) {
  virtual_calendar test;
  int ran = 0, skipped = 0;
  test.timers.schedule_at(at(2023, 12, 31), [&] { ++ran; });
  test.timers.schedule_at(at(2023, 12, 31), [&] { ++skipped; }, {.on_misfire = misfire::skip});
  test.catch_up();
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(skipped, 0);
  EXPECT_EQ(test.timers.missed(), 1u);
  EXPECT_EQ(test.engine.pending(), 0u);
}

TEST(CalendarSteps, MoveWhatIsPendingSoThatItIsNeitherEarlyNorLate) {
  clock_step seen{};
  virtual_calendar test({.on_step = [&](const clock_step& step) { seen = step; }});
  times ran;
  const auto note = [&] { ran.push_back(test.timers.now()); };
  test.timers.schedule_at(at(2024, 1, 2, 0, 30), note);
  test.timers.schedule_on(hourly(), note);
  test.set_clock(virtual_calendar::epoch() + minutes(10));
  EXPECT_EQ(seen.by, minutes(10));
  EXPECT_EQ(seen.moved, 2u);
  test.go_on_for(minutes(21));
  EXPECT_EQ(ran, (times{at(2024, 1, 2, 0, 30)}));
  test.set_clock(virtual_calendar::epoch());
  test.go_on_for(minutes(61));
  EXPECT_EQ(ran, (times{at(2024, 1, 2, 0, 30), at(2024, 1, 2, 1)}));
}

TEST(CalendarSteps, MayComeWhileTheEndOfAScheduleOrAnErrorIsReported) {
  virtual_calendar* all = nullptr;
  const auto set_and_reload = [&] {
    all->timers.set_virtual_clock(all->timers.now() + minutes(10));
    all->timers.reload_zones();
  };
  virtual_calendar test({.on_end = [&](const schedule_end&) { set_and_reload(); }},
                        [&](std::exception_ptr) noexcept { set_and_reload(); });
  all = &test;
  run_log ran;
  test.timers.schedule_on(schedule::quartz("0 0 1 2 1 ? 2024"), [] {});
  test.timers.schedule_on(hourly(), [&](calendar_firing& run) {
    ran.add(run);
    if (ran.planned.size() == 2) throw std::runtime_error("the second");
  });
  test.go_on_for(hours(3));
  EXPECT_EQ(ran.planned, due(hourly(), virtual_calendar::epoch(), 3));
  EXPECT_EQ(test.timers.now(), virtual_calendar::epoch() + hours(3) + minutes(20));
}

TEST(CalendarSteps, InsideACallbackAreSeenByItsNextRun) {
  virtual_calendar test;
  times ran;
  test.timers.schedule_on(hourly(), [&] {
    ran.push_back(test.timers.now());
    if (ran.size() == 1) test.timers.set_virtual_clock(at(2024, 1, 2, 1, 50));
  });
  test.go_on_for(minutes(70));
  EXPECT_EQ(ran, (times{at(2024, 1, 2, 1), at(2024, 1, 2, 2)}));
}

}  // namespace
}  // namespace detent::calendar_test
