// SPDX-License-Identifier: MIT
#include "report/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/html_text.hpp"

namespace detent::tool {

std::string svg_plot::path(const points& through) const {
  std::string out;
  for (const auto& [x, y] : through) out += fmt::format("{}{:.1f} {:.1f}", out.empty() ? "M" : "L", x_of(x), y_of(y));
  return out;
}

void svg_plot::line(int series, const points& through) {
  if (!through.empty()) shapes_ += fmt::format("<path class=\"line series{}\" d=\"{}\"/>\n", series, path(through));
}

void svg_plot::area(int series, const points& under) {
  if (under.empty()) return;
  shapes_ += fmt::format("<path class=\"area series{}\" d=\"{}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\"/>\n", series, path(under),
                         x_of(under.back().first), foot(), x_of(under.front().first), foot());
}

void svg_plot::bar(int series, double x, double x2, double y, std::string_view hint) {
  const double gap = x_of(x2) - x_of(x) > 6 ? 0.5 : 0;
  const double from = x_of(x) + gap, high = y_of(y);
  shapes_ += fmt::format(
      "<rect class=\"bar series{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title>"
      "</rect>\n",
      series, from, high, std::max(x_of(x2) - from - gap, 1.0), std::max(foot() - high, 0.0), html_escaped(hint));
}

void svg_plot::box(int series, double x, double x2, double y, double y2, std::string_view label,
                   std::string_view hint) {
  const double from = x_of(x), wide = x_of(x2) - from, high = y_of(y2), tall = y_of(y) - high;
  shapes_ += fmt::format(
      "<rect class=\"box series{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title>"
      "</rect>\n",
      series, from, high, std::max(wide, 0.0), tall, html_escaped(hint));
  if (wide < size_.letter * static_cast<double>(label.size()) + 8) return;
  shapes_ += fmt::format("<text class=\"inside\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                         from + wide / 2, high + tall / 2 + 5, html_escaped(label));
}

void svg_plot::hint(double x, double x2, std::string_view hint) {
  shapes_ += fmt::format(
      "<rect class=\"hint\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{}</title></rect>\n", x_of(x),
      size_.top, std::max(x_of(x2) - x_of(x), 1.0), field_height(), html_escaped(hint));
}

std::string svg_plot::y_marks() const {
  std::string out;
  for (const auto& [at, text] : y_.marks) {
    const double y = size_.top + field_height() * (1 - at);
    if (y_.ruled) {
      out += fmt::format("<line class=\"grid\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>", size_.left, y,
                         size_.width - size_.right, y);
    }
    out += fmt::format("<text class=\"mark\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", size_.left - 8,
                       y + 4, html_escaped(text));
  }
  return out;
}

// Each mark has a line. A text that would run into the one before is left out.
std::string svg_plot::x_marks() const {
  std::string out;
  double free_from = 0;
  for (const auto& [at, text] : x_.marks) {
    const double x = size_.left + field_width() * at;
    out +=
        fmt::format("<line class=\"grid\" x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\"/>", x, size_.top, x, foot());
    const double half = size_.letter * static_cast<double>(text.size()) / 2;
    const double middle = std::min(x, size_.width - half);
    if (middle - half < free_from) continue;
    free_from = middle + half + size_.letter;
    out += fmt::format("<text class=\"mark\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", middle,
                       foot() + 19, html_escaped(text));
  }
  return out;
}

std::string svg_plot::titles() const {
  std::string out = fmt::format("<path class=\"axis\" d=\"M{} {}V{}H{}\"/>\n", size_.left, size_.top, foot(),
                                size_.width - size_.right);
  out += fmt::format("<text class=\"title\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n",
                     size_.left + field_width() / 2, size_.height - 10, html_escaped(x_.title));
  return out +
         fmt::format(
             "<text class=\"title\" text-anchor=\"middle\" transform=\"translate(13 {}) rotate(-90)\">{}</text>\n",
             size_.top + field_height() / 2, html_escaped(y_.title));
}

std::string svg_plot::str(std::string_view description) const {
  return fmt::format("<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}{}{}{}</svg>\n",
                     size_.name, size_.width, size_.height, html_escaped(description), y_marks(), x_marks(), shapes_,
                     titles());
}

}  // namespace detent::tool
