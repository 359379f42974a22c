// SPDX-License-Identifier: MIT
// Cron expressions as Quartz 2.3 documents them (org.quartz.CronExpression). What Quartz reads and its documentation
// does not promise is refused: `1,,2`, `*/0`, an eighth field, a step after a name, which it ignores.
#include <array>

#include "dialects.hpp"
#include "field.hpp"
#include "field_names.hpp"
#include "message.hpp"

namespace detent::detail {
namespace {

constexpr std::array<const char*, 7> names = {"second", "minute",      "hour", "day of month",
                                              "month",  "day of week", "year"};
constexpr field_kind second = {
    .name = names[0], .least = 0, .most = 59, .star_most = 59, .step_most = 59, .wraps = true};
constexpr field_kind minute = {
    .name = names[1], .least = 0, .most = 59, .star_most = 59, .step_most = 59, .wraps = true};
constexpr field_kind hour = {.name = names[2], .least = 0, .most = 23, .star_most = 23, .step_most = 23, .wraps = true};
constexpr field_kind month_day = {
    .name = names[3], .least = 1, .most = 31, .star_most = 31, .step_most = 31, .wraps = true};
constexpr field_kind month = {.name = names[4],
                              .least = 1,
                              .most = 12,
                              .star_most = 12,
                              .step_most = 12,
                              .names = month_names,
                              .wraps = true,
                              .steps_after_names = false};
constexpr field_kind week_day = {.name = names[5],
                                 .least = 1,
                                 .most = 7,
                                 .star_most = 7,
                                 .step_most = 7,
                                 .names = weekday_names,
                                 .wraps = true,
                                 .steps_after_names = false};
constexpr field_kind year = {
    .name = names[6], .least = first_year, .most = last_year, .star_most = last_year, .step_most = year_count - 1};

constexpr bool is(char c, char letter) noexcept { return c == letter || c == letter - 'A' + 'a'; }
constexpr bool ends_in(std::string_view text, char letter) noexcept { return !text.empty() && is(text.back(), letter); }

// Sunday is 1 and has bit 0.
std::uint8_t weekday_bit(int weekday) noexcept { return static_cast<std::uint8_t>(1u << (weekday - 1)); }

// Reads `L` or `L-n`, and a `W` after it.
void read_last(const field& in, month_day_rules& days) {
  std::string_view text = in.text();
  const bool nearest = ends_in(text, 'W');
  if (nearest) text.remove_suffix(1);
  int before = 0;
  if (text.size() > 1) {
    if (text[1] != '-') in.refuse(month_day.name, in.text(), "after L there may be -n, W or both, and nothing else");
    before = in.number(month_day.name, text.substr(2), 0, 30);
  }
  (nearest ? days.nearest_from_last : days.from_last) |= std::uint32_t{1} << before;
}

month_day_rules read_month_day(const field& in) {
  month_day_rules days;
  const std::string_view text = in.text();
  const bool in_list = text.find(',') != std::string_view::npos;
  const bool special =
      in_list ? text.find_first_of("LWlw") != std::string_view::npos : is(text.front(), 'L') || ends_in(text, 'W');
  if (text == "?") {
    days.any = true;
  } else if (special && in_list) {
    in.refuse(month_day.name, text, "L and W stand alone in their field");
  } else if (is(text.front(), 'L')) {
    read_last(in, days);
  } else if (special) {
    days.nearest = std::uint32_t{1} << in.value(month_day, text.substr(0, text.size() - 1));
  } else {
    const field_values values = in.values(month_day);
    days.any = values.any;
    days.dates = static_cast<std::uint32_t>(values.word());
  }
  return days;
}

week_day_rules read_week_day(const field& in) {
  week_day_rules days;
  const std::string_view text = in.text();
  const std::size_t hash = text.find('#');
  if (text == "?") {
    days.any = true;
  } else if (text.find(',') != std::string_view::npos && text.find_first_of("Ll#") != std::string_view::npos) {
    in.refuse(week_day.name, text, "L and # stand alone in their field");
  } else if (hash != std::string_view::npos) {
    const int weekday = in.value(week_day, text.substr(0, hash));
    const auto n = static_cast<std::size_t>(in.number(week_day.name, text.substr(hash + 1), 1, 5));
    days.nth[n - 1] = weekday_bit(weekday);
  } else if (text.size() == 1 && ends_in(text, 'L')) {
    days.each = weekday_bit(week_day.most);  // the last day of the week
  } else if (ends_in(text, 'L')) {
    days.last = weekday_bit(in.value(week_day, text.substr(0, text.size() - 1)));
  } else {
    const field_values values = in.values(week_day, week_day.least);
    days.any = values.any;
    days.each = static_cast<std::uint8_t>(values.word());
  }
  return days;
}

}  // namespace

parsed_expression parse_quartz(std::string_view expression) {
  const std::vector<field> fields = fields_of(expression, 6, names);
  const field_values seconds = fields[0].values(second), minutes = fields[1].values(minute);
  const field_values hours = fields[2].values(hour);
  parsed_expression all;
  all.times = {.seconds = seconds.word(),
               .minutes = minutes.word(),
               .hours = hours.word(),
               .fixed = !seconds.stepped && !minutes.stepped && !hours.stepped};
  all.dates.month_days = read_month_day(fields[3]);
  all.dates.months = static_cast<std::uint32_t>(fields[4].values(month).word());
  all.dates.week_days = read_week_day(fields[5]);
  const bool by_week = fields[3].text() == "?";
  if (by_week && fields[5].text() == "?") {
    fields[5].refuse(week_day.name, fields[5].text(), "one of the two day fields is `?`, and the other is not");
  }
  if (!by_week && fields[5].text() != "?") {
    fields[5].refuse(week_day.name, fields[5].text(), "one of the two day fields is `?`: here or in day of month");
  }
  all.dates.years.set();
  if (fields.size() > 6) {
    const field_values years = fields[6].values(year, first_year);
    for (std::size_t i = 0; i < all.dates.years.size(); ++i) all.dates.years[i] = years.bits[i];
  }
  if (!all.dates.day_at_or_after(0, day_count, nullptr)) {
    const field& days = fields[by_week ? 5 : 3];
    days.refuse(by_week ? week_day.name : month_day.name, days.text(), never_due_text, true);
  }
  return all;
}

}  // namespace detent::detail
