// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "text/complaint.hpp"

namespace detent::tool {

// The complaints of successive readings. Each is printed when it first appears, and not with every reading.
class complaint_log {
 public:
  void print_new(const std::vector<std::string>& complaints) {
    for (const std::string& each : complaints) {
      if (std::find(last_.begin(), last_.end(), each) == last_.end()) complain(each);
    }
    last_ = complaints;
  }

 private:
  std::vector<std::string> last_;
};

}  // namespace detent::tool
