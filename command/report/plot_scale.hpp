// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace detent::tool {

// One axis of a plot: where a value lies between the two ends (0 and 1), and which values have marks.
struct plot_scale {
  struct mark {
    double at;  // 0 to 1
    std::string text;
  };

  std::string title;
  std::function<double(double)> position;  // values outside are moved to the nearer end
  std::vector<mark> marks;
  bool ruled = true;  // a line crosses the plot at each mark
};

// A logarithmic scale of time, in whole powers of ten from below `least_ns` to above `most_ns`; it begins at 1 ns or
// later.
plot_scale log_time_scale(std::string title, double least_ns, double most_ns);
// A scale of percentiles with as many nines as `samples` samples can tell apart: 50, and 0, 90, 99, 99.9 ... at equal
// distances. Its values are fractions.
plot_scale nines_scale(std::string title, double samples);
plot_scale linear_time_scale(const std::string& title, double most_ns);
plot_scale linear_count_scale(const std::string& title, double most);
plot_scale linear_percent_scale(const std::string& title, double most_fraction);
// Rows with names, the first at the top. Row n covers n to n + 1, counted from below.
plot_scale row_scale(std::string title, const std::vector<std::string>& names);

}  // namespace detent::tool
