// SPDX-License-Identifier: MIT
// Durations that were measured, and the lines in which programs print what they counted.
#pragma once

#include <detent/time.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace game {

class durations {
 public:
  void add(detent::duration one) { all_.push_back(one.count()); }
  std::size_t count() const noexcept { return all_.size(); }
  // The smallest that `percent` of them do not exceed, in microseconds; zero if there are none.
  double percentile_us(double percent) {
    if (all_.empty()) return 0;
    const auto rank = static_cast<std::size_t>(std::lround(percent / 100 * static_cast<double>(all_.size() - 1)));
    std::nth_element(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(rank), all_.end());
    return static_cast<double>(all_[rank]) / 1000;
  }

 private:
  std::vector<detent::duration::rep> all_;
};

// "name value", a line each, which people and the demo read.
template <class T>
void print_line(std::string_view name, const T& value) {
  fmt::print("{} {}\n", name, value);
}
inline void print_line(std::string_view name, durations& of) {
  for (const double percent : {50.0, 99.0, 99.9, 100.0})
    fmt::print("{}_us_p{:g} {:.1f}\n", name, percent, of.percentile_us(percent));
}

}  // namespace game
