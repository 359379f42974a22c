// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace detent::tool {

// One axis of a plot: where a value lies between its two ends (0 and 1), and which values are marked.
struct plot_scale {
  struct mark {
    double at;  // 0 to 1
    std::string text;
  };

  std::string title;
  std::function<double(double)> position;  // what lies outside is moved to the nearer end
  std::vector<mark> marks;
  bool ruled = true;  // a line across the plot at each mark
};

// Time, logarithmic, whole powers of ten from below `least_ns` to above `most_ns`; 1 ns is the least.
plot_scale log_time_scale(std::string title, double least_ns, double most_ns);
// Percentiles, as many nines as `samples` samples can separate: 0, 90, 99, 99.9 ... at equal distances, and
// 50. Takes fractions.
plot_scale nines_scale(std::string title, double samples);
plot_scale linear_time_scale(const std::string& title, double most_ns);
plot_scale linear_count_scale(const std::string& title, double most);
plot_scale linear_percent_scale(const std::string& title, double most_fraction);
// Rows with names, the first on top; row n covers n to n + 1 from below.
plot_scale row_scale(std::string title, const std::vector<std::string>& names);

}  // namespace detent::tool
