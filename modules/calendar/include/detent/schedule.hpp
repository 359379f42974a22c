// SPDX-License-Identifier: MIT
// Schedules of recurring times by the wall clock: cron expressions in time zones, on chosen days.
#pragma once

#include <detent/calendar_error.hpp>
#include <detent/day_set.hpp>
#include <detent/time.hpp>
#include <detent/time_zone.hpp>
#include <detent/wall_time.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace detent::detail {
struct schedule_plan;
}

namespace detent {

// These decide about a local time that the clock skips, and one that it shows twice, when an offset changes. Both apply
// only to fixed times: schedules whose second, minute and hour are numbers, lists and ranges. A schedule with `*`,
// `*/n` or `a/n` in one of these goes by elapsed time: a time that the clock skips is not due, and one that it shows
// twice is due twice, so an hourly run is neither lost nor repeated. A calendar makes the same distinction when its
// clock is set back.
enum class in_gap : std::uint8_t {
  after,  // once, at the first instant after the gap; nothing after a gap of three hours or more: such days do not
          // exist
  skip
};
enum class in_overlap : std::uint8_t {
  once,  // at the first of the two
  twice
};

struct schedule_options {
  // The time zone in whose local time the rule is. Default: UTC.
  time_zone zone = {};
  // Decides about a fixed time that the clock skips. Default: it is due after the gap.
  in_gap gap = in_gap::after;
  // Decides about a fixed time that the clock shows twice. Default: it is due once.
  in_overlap overlap = in_overlap::once;
};

// A rule for due times. Immutable, one shared pointer; any thread. Due times are whole seconds, from 1970 to 2199.
class schedule {
 public:
  // Six or seven fields, as Quartz has them: second minute hour day-of-month month day-of-week [year]. Sunday is 1.
  // Takes names; ranges that wrap; L, L-n, nW, LW, L-nW, n#k, nL. One of the two day fields must be `?`. Throws
  // schedule_error.
  static schedule quartz(std::string_view expression, schedule_options options = {});
  // Five fields, as crontab(5) has them: minute hour day-of-month month day-of-week. Sunday is 0 or 7. Takes names, and
  // @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually. If both day fields are restricted, either
  // suffices. Throws schedule_error.
  static schedule unix_cron(std::string_view expression, schedule_options options = {});
  // Every day at this local time, from 00:00:00 to 23:59:59. Throws schedule_error.
  static schedule daily(std::chrono::seconds time_of_day, schedule_options options = {});

  // Runs only on local days in this set. If it is called twice, the day must be in both sets. shifted() does not change
  // which day counts.
  schedule only_on(const day_set& days) const;
  // Moves each due time by this elapsed time, later if it is positive: -5min for five minutes before the close.
  schedule shifted(duration by) const;
  // Returns this rule in another zone, or in the same one reloaded.
  schedule in_zone(const time_zone& zone) const;

  // The first due time strictly later than `after`; none if none is left before the year 2200. Throws error with
  // days_exhausted if the answer depends on a day that only_on() does not know. Allocates nothing. It walks segments of
  // constant UTC offset, so it costs some 100 ns for weekdays and less than 1 ms for anything.
  std::optional<wall_time> next(wall_time after) const;

  // Whether its times are fixed: second, minute and hour are numbers, lists and ranges. False: it goes by elapsed time.
  bool fixed() const noexcept;
  // The expression as it was given; for daily(), the time of day.
  const std::string& text() const noexcept;
  const schedule_options& options() const noexcept;

 private:
  explicit schedule(std::shared_ptr<const detail::schedule_plan> plan) noexcept;

  std::shared_ptr<const detail::schedule_plan> plan_;
};

}  // namespace detent
