// SPDX-License-Identifier: MIT
// The curves of the last minutes.
#pragma once
#include <string>
#include <vector>

#include "page/console_view.hpp"

namespace detent::tool {

// Lateness, rates and pending timers, each a <figure>, up to `now` and over the window.
std::string engine_charts(const console_engine& engine, console_time now, double window);

// Small lines of p99, which share one logarithmic scale so that they compare.
class trend_lines {
 public:
  trend_lines(const std::vector<console_engine>& engines, console_time now, double window);
  std::string of(const console_engine& engine) const;

 private:
  console_time now_;
  double window_;
  double low_ = 0, high_ = 1;  // powers of ten, nanoseconds
};

}  // namespace detent::tool
