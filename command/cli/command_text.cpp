// SPDX-License-Identifier: MIT
#include "cli/command_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace detent::tool {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_@%+=:,./-").find(c) != std::string::npos;
}

// Uses the largest unit that gives a whole number.
std::string exact(duration span) {
  std::int64_t value = span.count();
  for (const char* unit : {"ns", "us", "ms"}) {
    if (value == 0 || value % 1000 != 0) return fmt::format("{}{}", value, unit);
    value /= 1000;
  }
  return fmt::format("{}s", value);
}

std::string engine_text(const engine_choice& engine, bool waits) {
  return fmt::format(" --wheel {}", engine.wheel) + (waits ? fmt::format(" --wait {}", engine.wait) : "");
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_text(const replay_command& command) {
  // Without ./ a name that begins with a dash would be an option.
  const std::string trace = (command.trace.starts_with('-') ? "./" : "") + command.trace;
  std::string out = "detent replay " + shell_quoted(trace);
  if (command.virtual_time) out += " --virtual";
  if (command.to_end) out += " --to-end";
  if (!command.virtual_time) out += fmt::format(" --speed {}", command.speed);
  return out + engine_text(command.engine, !command.virtual_time);
}

std::string command_text(const run_command& command) {
  const load_options& load = command.load;
  std::string out =
      fmt::format("detent run --timers {} --producers {} --cancel {} --delay {}..{} --duration {}", load.timers,
                  load.producers, load.cancel, exact(load.delay.least), exact(load.delay.most), exact(load.length));
  if (load.rate > 0) out += fmt::format(" --rate {}", load.rate);
  return out + fmt::format(" --seed {}", load.seed) + engine_text(command.engine, true);
}

}  // namespace detent::tool
