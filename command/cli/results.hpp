// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "cli/command_line.hpp"
#include "replay/replay_live.hpp"
#include "replay/replay_virtual.hpp"
#include "report/report_page.hpp"
#include "run/run_load.hpp"

namespace detent::tool {

// These functions turn the results of each kind of work into three forms. A page points into the outcome that it is
// made from.
std::string virtual_line(const virtual_outcome& outcome);  // the line that a virtual replay ends with
text_table table_of(const virtual_outcome& outcome);
std::string json_of(const replay_command& command, const virtual_outcome& outcome);
report_page page_of(const replay_command& command, const virtual_outcome& outcome);

text_table table_of(const live_outcome& outcome);
std::string json_of(const replay_command& command, const live_outcome& outcome);
report_page page_of(const replay_command& command, const live_outcome& outcome);
std::string settings_of(const replay_command& command);

text_table table_of(const run_command& command, const load_outcome& outcome);
std::string json_of(const run_command& command, const load_outcome& outcome);
report_page page_of(const run_command& command, const load_outcome& outcome);
std::string settings_of(const run_command& command);

}  // namespace detent::tool
