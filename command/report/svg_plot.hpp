// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/plot_scale.hpp"

namespace detent::tool {

// The room for a plot, in units of its drawing, which are about pixels of the screens that it is for.
struct plot_size {
  const char* name;  // the CSS class of the drawing
  double width, height;
  double left, right, top, bottom;  // from the edges to the field between the axes
  double letter;                    // the approximate width of a letter of a mark

  constexpr plot_size of_height(double other) const {
    plot_size size = *this;
    size.height = other;
    return size;
  }
};
inline constexpr plot_size wide_plot = {"wide", 1040, 360, 92, 22, 14, 56, 7.4};
inline constexpr plot_size narrow_plot = {"narrow", 420, 330, 88, 24, 12, 52, 8.6};

// Draws a plot as one <svg> element without scripts or outside resources. The page gives the colours: a series has the
// CSS class `seriesN`.
class svg_plot {
 public:
  using points = std::vector<std::pair<double, double>>;  // in units of the scales

  svg_plot(const plot_scale& x, const plot_scale& y, const plot_size& size) : x_(x), y_(y), size_(size) {}

  void line(int series, const points& through);
  void area(int series, const points& under);
  // Draws from x to x2 and from the bottom up to y. `hint` appears under the pointer.
  void bar(int series, double x, double x2, double y, std::string_view hint);
  // Draws from x to x2 and from y to y2, with `label` inside if there is room.
  void box(int series, double x, double x2, double y, double y2, std::string_view label, std::string_view hint);
  // Covers x to x2 over the whole height: shows only `hint`, and a shade while the pointer is there.
  void hint(double x, double x2, std::string_view hint);

  // `description` is for screen readers.
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
