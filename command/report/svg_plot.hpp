// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/plot_scale.hpp"

namespace detent::tool {

// The room that a plot takes, in units of its drawing, which are about the pixels of the screen it is for.
struct plot_size {
  const char* name;  // the CSS class of the drawing
  double width, height;
  double left, right, top, bottom;  // of the axes' field, from the edges
  double letter;                    // how wide one of a mark is, about

  constexpr plot_size of_height(double other) const {
    plot_size size = *this;
    size.height = other;
    return size;
  }
};
inline constexpr plot_size wide_plot = {"wide", 1040, 360, 92, 22, 14, 56, 7.4};
inline constexpr plot_size narrow_plot = {"narrow", 420, 330, 88, 24, 12, 52, 8.6};

// Draws a plot as one <svg> element without scripts or outside resources. Colours come from the page: a series has the
// CSS class `seriesN` of its number.
class svg_plot {
 public:
  using points = std::vector<std::pair<double, double>>;  // in units of the scales

  svg_plot(const plot_scale& x, const plot_scale& y, const plot_size& size) : x_(x), y_(y), size_(size) {}

  void line(int series, const points& through);
  void area(int series, const points& under);
  // From x to x2 and from the bottom up to y; `hint` appears under the pointer.
  void bar(int series, double x, double x2, double y, std::string_view hint);
  // From x to x2 and from y to y2, with `label` in it where there is room.
  void box(int series, double x, double x2, double y, double y2, std::string_view label, std::string_view hint);
  // From x to x2, from the bottom to the top: `hint` alone, and a shade while the pointer is there.
  void hint(double x, double x2, std::string_view hint);

  // `description` is what a screen reader says.
  std::string str(std::string_view description) const;

 private:
  std::string path(const points& through) const;
  double field_width() const { return size_.width - size_.left - size_.right; }
  double field_height() const { return size_.height - size_.top - size_.bottom; }
  double foot() const { return size_.top + field_height(); }
  double x_of(double value) const { return size_.left + field_width() * x_.position(value); }
  double y_of(double value) const { return size_.top + field_height() * (1 - y_.position(value)); }
  std::string x_marks() const;
  std::string y_marks() const;
  std::string titles() const;

  const plot_scale& x_;
  const plot_scale& y_;
  plot_size size_;
  std::string shapes_;
};

}  // namespace detent::tool
