// SPDX-License-Identifier: MIT
#include "cli/command_options.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/add_value.hpp"
#include "text/option_values.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t most_due_times = 1'000'000;

}  // namespace

void add_options(CLI::App& app, cron_command& command) {
  cron_options& cron = command.options;
  auto* expression = add_value(app, "EXPRESSION", "EXPRESSION", "six or seven fields, in quotes; of Unix cron five",
                               [&cron](auto&, auto& text) { cron.expression = text; });
  std::vector<CLI::Option*> others = {expression};
  const auto add_text = [&](const char* name, const char* type, const char* help, std::string& value) {
    others.push_back(add_value(app, name, type, help, [&value](auto& option, auto& text) {
      if (text.empty()) throw usage_error(fmt::format("{}: '' is no value", option));
      value = text;
    }));
  };
  const auto add_choice = [&](const char* name, const char* help, const char* first, const char* second,
                              std::string& value) {
    others.push_back(add_value(app, name, "KIND", help, [first, second, &value](auto& option, auto& text) {
      value = one_of(option, text, first, second);
    }));
  };
  add_choice("--dialect", "quartz (default) or unix", "quartz", "unix", cron.dialect);
  add_text("--zone", "ZONE", "the time zone, such as America/New_York; default UTC", cron.zone);
  add_text("--from", "TIME", "list times after this one, such as 2024-03-08T00:00:00Z; default now", cron.from);
  others.push_back(add_value(app, "--count", "N", "how many due times; default 5", [&cron](auto& name, auto& text) {
    cron.count = whole_number(name, text, 1, most_due_times);
  }));
  add_choice("--gap", "when to run a fixed time that the clock skips: after (default), at the end of the gap, or skip",
             "after", "skip", cron.gap);
  add_choice("--overlap", "how often to run a fixed time that the clock shows twice: once (default) or twice", "once",
             "twice", cron.overlap);
  add_text("--days", "FILE", "leave out the days in this file of holidays", cron.days);
  auto* check = add_value(app, "--check", "FILE.csv", "check each case of this file instead, and name each difference",
                          [&cron](auto& name, auto& text) {
                            if (text.empty()) throw usage_error(fmt::format("{}: '' is not the name of a file", name));
                            cron.check = text;
                          });
  for (CLI::Option* const other : others) check->excludes(other);
  app.callback([&cron] {
    if (cron.check.empty() && cron.expression.empty()) throw usage_error("cron: EXPRESSION or --check is required");
  });
}

}  // namespace detent::tool
