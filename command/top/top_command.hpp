// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace detent::tool {

struct top_options {
  std::vector<std::string> targets;  // ids of processes, and files; none: every engine on the host
  double delay = 1;                  // seconds
  bool batch = false;                // plain text on standard output
  std::uint64_t readings = 0;        // ends after this many; 0: when the user or a signal says so
  bool whole_life = false;
};

// Shows the engines until the user has seen enough. Throws input_error.
void run_top(const top_options& options);

}  // namespace detent::tool
