// SPDX-License-Identifier: MIT
// The options of each command: what it may be given, and where that goes.
#pragma once
#include <CLI/CLI.hpp>

#include "cli/command_line.hpp"

namespace detent::tool {

// CLI11 writes the options into the second argument while it parses. A wrong value throws usage_error.
void add_options(CLI::App& app, replay_command& replay);
void add_options(CLI::App& app, run_command& run);
void add_options(CLI::App& app, doctor_command& doctor);
void add_options(CLI::App& app, stat_command& stat);
void add_options(CLI::App& app, pending_command& pending);
void add_options(CLI::App& app, top_command& top);
void add_options(CLI::App& app, console_command& console);
void add_options(CLI::App& app, cron_command& cron);
void add_options(CLI::App& app, durable_command& durable);

}  // namespace detent::tool
