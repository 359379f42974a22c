// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plot_scale.hpp"

namespace detent::tool {

std::string html_escaped(std::string_view text);

// Draws a plot as one <svg> element without scripts or outside resources. Colours come from the page: a series has the
// CSS class `seriesN` of its number.
class svg_plot {
 public:
  using points = std::vector<std::pair<double, double>>;  // in units of the scales

  // `description` is what a screen reader says.
  svg_plot(plot_scale x, plot_scale y, std::string description);

  void line(int series, const points& through);
  void area(int series, const points& under);
  // From x to x2 on the x axis, up to y; `hint` appears under the pointer.
  void bar(int series, double x, double x2, double y, std::string_view hint);
  void legend(int series, std::string_view name);

  std::string str() const;

 private:
  std::string path(const points& through) const;
  double x_of(double value) const;
  double y_of(double value) const;
  std::string axes() const;

  plot_scale x_, y_;
  std::string description_;
  std::string shapes_, legends_;
  double legend_at_;
};

}  // namespace detent::tool
