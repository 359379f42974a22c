// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "command_line.hpp"

namespace detent::tool {

// Does what the command says, writes its report, and returns what belongs on standard output. Throws input_error, and
// detent::error where an engine refuses its options.
std::string perform(const any_command& command);

}  // namespace detent::tool
