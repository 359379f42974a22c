// SPDX-License-Identifier: MIT
// The curves of the last minutes.
#pragma once
#include <string>
#include <vector>

#include "page/console_view.hpp"

namespace detent::tool {

// Draws lateness, rates and pending timers, each as a <figure>, over the window that ends at `now`.
std::string engine_charts(const std::vector<console_sample>& history, console_time now, double window);

// Small lines of p99. Each begins at its own least value, and equal heights are equal factors in all of them. So a line
// that stands out is one that has changed.
class trend_lines {
 public:
  trend_lines(const std::vector<console_engine>& engines, console_time now, double window);
  std::string of(const console_engine& engine) const;

 private:
  console_time now_;
  double window_;
  double decades_ = 1;  // in the height of a line
};

}  // namespace detent::tool
