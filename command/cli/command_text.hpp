// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace detent::tool {

std::string shell_quoted(std::string_view word);  // unchanged if a shell takes it as it is

// Returns the command that does the same again. It has every option that decides what happens, including the seed, and
// none that only decides where results go.
std::string command_text(const replay_command& command);
std::string command_text(const run_command& command);

}  // namespace detent::tool
