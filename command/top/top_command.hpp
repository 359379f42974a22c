// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace detent::tool {

struct top_options {
  std::vector<std::string> targets;  // ids of processes, and files; empty for every engine on the host
  double delay = 1;                  // seconds
  bool batch = false;                // prints plain text to standard output
  std::uint64_t readings = 0;        // ends after this many; 0 until the user or a signal ends it
  bool whole_life = false;
};

// Shows the engines until the user quits. Throws input_error.
void run_top(const top_options& options);

}  // namespace detent::tool
