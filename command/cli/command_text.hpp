// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace detent::tool {

std::string shell_quoted(std::string_view word);  // as it is where a shell takes it so

// The command that does the same again: every option that decides what happens, the seed included, none that only
// decides where results go.
std::string command_text(const replay_command& command);
std::string command_text(const run_command& command);

}  // namespace detent::tool
