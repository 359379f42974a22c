// SPDX-License-Identifier: MIT
// Cron expressions as POSIX and crontab(5) of Vixie's cron have them.
#include <array>
#include <utility>

#include "dialects.hpp"
#include "field.hpp"
#include "field_names.hpp"

namespace detent::detail {
namespace {

constexpr std::array<const char*, 5> names = {"minute", "hour", "day of month", "month", "day of week"};
constexpr field_kind minute = {.name = names[0], .least = 0, .most = 59, .star_most = 59, .step_most = 59};
constexpr field_kind hour = {.name = names[1], .least = 0, .most = 23, .star_most = 23, .step_most = 23};
constexpr field_kind month_day = {.name = names[2], .least = 1, .most = 31, .star_most = 31, .step_most = 31};
constexpr field_kind month = {
    .name = names[3], .least = 1, .most = 12, .star_most = 12, .step_most = 12, .names = month_names};
constexpr field_kind week_day = {
    .name = names[4], .least = 0, .most = 7, .star_most = 6, .step_most = 7, .names = weekday_names};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> macros = {{{"@yearly", "0 0 1 1 *"},
                                                                                  {"@annually", "0 0 1 1 *"},
                                                                                  {"@monthly", "0 0 1 * *"},
                                                                                  {"@weekly", "0 0 * * 0"},
                                                                                  {"@daily", "0 0 * * *"},
                                                                                  {"@midnight", "0 0 * * *"},
                                                                                  {"@hourly", "0 * * * *"}}};

// Returns the five fields that the macro stands for, or an expression that is no macro unchanged.
std::string_view expanded(std::string_view expression) {
  const std::size_t begin = expression.find_first_not_of(" \t");
  if (begin == std::string_view::npos || expression[begin] != '@') return expression;
  const std::string_view word = expression.substr(begin, expression.find_last_not_of(" \t") + 1 - begin);
  for (const auto& [macro, fields] : macros) {
    if (word == macro) return fields;
  }
  field(expression, word)
      .refuse("expression", word, "not @yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly");
}

}  // namespace

parsed_expression parse_unix_cron(std::string_view expression) {
  const std::vector<field> fields = fields_of(expanded(expression), names.size(), names);
  for (const field& each : fields) {
    if (each.text() == "?")
      each.refuse(names[static_cast<std::size_t>(&each - fields.data())], each.text(), "`?` is of the Quartz dialect");
  }
  const field_values minutes = fields[0].values(minute), hours = fields[1].values(hour);
  const field_values month_days = fields[2].values(month_day), week_days = fields[4].values(week_day);
  parsed_expression all;
  all.times = {
      .seconds = 1, .minutes = minutes.word(), .hours = hours.word(), .fixed = !minutes.stepped && !hours.stepped};
  all.dates.month_days.any = month_days.any;
  all.dates.month_days.dates = static_cast<std::uint32_t>(month_days.word());
  all.dates.months = static_cast<std::uint32_t>(fields[3].values(month).word());
  all.dates.week_days.any = week_days.any;
  const std::uint64_t sunday_twice = week_days.word();
  all.dates.week_days.each = static_cast<std::uint8_t>((sunday_twice | sunday_twice >> 7) & 0x7f);
  all.dates.either = true;
  all.dates.years.set();
  if (!all.dates.day_at_or_after(0, day_count, nullptr)) {
    fields[2].refuse(month_day.name, fields[2].text(), never_due_text, true);
  }
  return all;
}

}  // namespace detent::detail
