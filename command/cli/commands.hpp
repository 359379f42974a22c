// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"

namespace detent::tool {

struct command_result {
  command_result(std::string printed) : output(std::move(printed)) {}

  std::string output;                   // for standard output
  std::vector<std::string> complaints;  // for standard error, one line each
  int status = 0;
};

// Carries out the command and writes its report. Throws input_error, and detent::error if an engine refuses its
// options.
command_result perform(const any_command& command);

}  // namespace detent::tool
