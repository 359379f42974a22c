// SPDX-License-Identifier: MIT
#include <detent/schedule.hpp>

#include <cstdio>
#include <utility>

#include "dialects.hpp"
#include "message.hpp"
#include "schedule_plan.hpp"

namespace detent {
namespace {

using detail::schedule_plan;

std::shared_ptr<schedule_plan> plan_of(std::string_view expression, schedule_options options,
                                       const detail::parsed_expression& parsed) {
  auto plan = std::make_shared<schedule_plan>();
  plan->text = expression;
  plan->options = std::move(options);
  plan->times = parsed.times;
  plan->dates = parsed.dates;
  return plan;
}

std::string time_text(std::chrono::seconds time_of_day) {
  const std::chrono::hh_mm_ss time(time_of_day);
  char text[16];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d", static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return text;
}

}  // namespace

schedule::schedule(std::shared_ptr<const schedule_plan> plan) noexcept : plan_(std::move(plan)) {}

schedule schedule::quartz(std::string_view expression, schedule_options options) {
  return schedule(plan_of(expression, std::move(options), detail::parse_quartz(expression)));
}

schedule schedule::unix_cron(std::string_view expression, schedule_options options) {
  return schedule(plan_of(expression, std::move(options), detail::parse_unix_cron(expression)));
}

schedule schedule::daily(std::chrono::seconds time_of_day, schedule_options options) {
  if (time_of_day < std::chrono::seconds(0) || time_of_day >= std::chrono::days(1)) {
    const std::string value = std::to_string(time_of_day.count()) + " s";
    throw schedule_error({"time of day", value, 1}, "time of day " + value + ": not from 0 to 86399 s", false);
  }
  const auto minute = std::chrono::duration_cast<std::chrono::minutes>(time_of_day);
  const auto bit = [](auto number) { return std::uint64_t{1} << number; };
  detail::parsed_expression every_day;
  every_day.times = {.seconds = bit((time_of_day - minute).count()),
                     .minutes = bit(minute.count() % 60),
                     .hours = bit(minute.count() / 60),
                     .fixed = true};
  every_day.dates.month_days.any = every_day.dates.week_days.any = true;
  every_day.dates.months = 0x1ffe;
  every_day.dates.years.set();
  return schedule(plan_of(time_text(time_of_day), std::move(options), every_day));
}

schedule schedule::only_on(const day_set& days) const {
  auto plan = std::make_shared<schedule_plan>(*plan_);
  plan->only = plan->only ? *plan->only & days : days;
  return schedule(std::move(plan));
}

schedule schedule::shifted(duration by) const {
  auto plan = std::make_shared<schedule_plan>(*plan_);
  plan->shift = duration(detail::add_saturated(plan->shift.count(), by.count()));
  return schedule(std::move(plan));
}

schedule schedule::in_zone(const time_zone& zone) const {
  auto plan = std::make_shared<schedule_plan>(*plan_);
  plan->options.zone = zone;
  return schedule(std::move(plan));
}

std::optional<wall_time> schedule::next(wall_time after) const {
  const duration unshifted(detail::subtract_saturated(after.time_since_epoch().count(), plan_->shift.count()));
  const auto due = plan_->due_at_or_after(std::chrono::floor<std::chrono::seconds>(unshifted).count() + 1);
  if (!due) return std::nullopt;
  std::int64_t at = 0;
  if (__builtin_add_overflow(*due * 1'000'000'000, plan_->shift.count(), &at)) return std::nullopt;
  return wall_time(duration(at));
}

bool schedule::fixed() const noexcept { return plan_->times.fixed; }
const std::string& schedule::text() const noexcept { return plan_->text; }
const schedule_options& schedule::options() const noexcept { return plan_->options; }

}  // namespace detent
