// SPDX-License-Identifier: MIT
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace detent::tool {

// Complaints of one reading after another: each is printed when it begins, not with every reading.
class complaint_log {
 public:
  void print_new(const std::vector<std::string>& complaints) {
    for (const std::string& each : complaints) {
      if (std::find(last_.begin(), last_.end(), each) == last_.end()) fmt::print(stderr, "detent: {}\n", each);
    }
    last_ = complaints;
  }

 private:
  std::vector<std::string> last_;
};

}  // namespace detent::tool
