// SPDX-License-Identifier: MIT
#include "cron/cron_command.hpp"

#include <fmt/format.h>
#include <detent/calendar_error.hpp>

#include "cron/cron_check.hpp"
#include "cron/schedule_words.hpp"
#include "cron/zoned_time.hpp"
#include "text/input_error.hpp"
#include "text/option_values.hpp"

namespace detent::tool {

namespace {

wall_time start_of(const std::string& text, const time_zone& zone) {
  const auto time = read_time(text);
  if (!time) {
    throw usage_error(fmt::format("--from: {} is not a time such as 2024-03-08T00:00:00Z", in_quotes(text)));
  }
  return time->in(zone);
}

}  // namespace

cron_result take_cron(const cron_options& options) {
  if (!options.check.empty()) return check_cases(options.check);
  schedule when = schedule_of({options.expression, options.dialect, options.zone, options.gap, options.overlap});
  if (!options.days.empty()) when = when.only_on(day_set::from_file(options.days));
  std::optional<wall_time> at =
      options.from.empty() ? wall_time(std::chrono::system_clock::now()) : start_of(options.from, when.options().zone);
  cron_result all;
  try {
    for (std::uint64_t i = 0; i < options.count && at; ++i) {
      at = when.next(*at);
      all.text += at ? fmt::format("{}  {}\n", utc_text(*at), local_text(*at, when.options().zone)) : "none\n";
    }
  } catch (const error& trouble) {  // the list of days ends; the times before still hold
    all.complaints.emplace_back(trouble.what());
    all.failed = true;
  }
  return all;
}

}  // namespace detent::tool
