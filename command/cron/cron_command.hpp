// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace detent::tool {

// The options as the user typed them. An empty one stands for its default.
struct cron_options {
  std::string expression;
  std::string dialect, zone, gap, overlap;
  std::string from;  // empty: now
  std::string days;  // a file of holidays; empty if there is none
  std::uint64_t count = 5;
  std::string check;  // a file of cases, which are checked instead; empty if there is none
};

struct cron_result {
  std::string text;
  std::vector<std::string> complaints;
  bool failed = false;
};

// Returns the due times of an expression, or each difference from a file of cases. Throws input_error.
cron_result take_cron(const cron_options& options);

}  // namespace detent::tool
