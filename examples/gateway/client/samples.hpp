// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace load {

// Measured durations, all of them.
class samples {
 public:
  void add(std::chrono::nanoseconds taken) {
    microseconds_.push_back(std::chrono::duration<float, std::micro>(taken).count());
  }
  std::size_t count() const { return microseconds_.size(); }

  // A line of a table: name, count, and percentiles in microseconds. The heading names them.
  static std::string heading();
  std::string row(std::string_view name);

 private:
  float percentile(double percent);

  std::vector<float> microseconds_;
};

}  // namespace load
