// SPDX-License-Identifier: MIT
#include "svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace detent::tool {
namespace {

constexpr double width = 880, height = 340;
constexpr double left = 78, right = 20, top = 34, bottom = 54;
constexpr double inner_width = width - left - right, inner_height = height - top - bottom;

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

svg_plot::svg_plot(plot_scale x, plot_scale y, std::string description)
    : x_(std::move(x)), y_(std::move(y)), description_(std::move(description)), legend_at_(left) {}

double svg_plot::x_of(double value) const { return left + inner_width * x_.position(value); }
double svg_plot::y_of(double value) const { return top + inner_height * (1 - y_.position(value)); }

std::string svg_plot::path(const points& through) const {
  std::string out;
  for (const auto& [x, y] : through) out += fmt::format("{}{:.1f} {:.1f}", out.empty() ? "M" : " L", x_of(x), y_of(y));
  return out;
}

void svg_plot::line(int series, const points& through) {
  if (!through.empty()) shapes_ += fmt::format("<path class=\"line series{}\" d=\"{}\"/>\n", series, path(through));
}

void svg_plot::area(int series, const points& under) {
  if (under.empty()) return;
  shapes_ +=
      fmt::format("<path class=\"area series{}\" d=\"{} L{:.1f} {:.1f} L{:.1f} {:.1f} Z\"/>\n", series, path(under),
                  x_of(under.back().first), top + inner_height, x_of(under.front().first), top + inner_height);
}

void svg_plot::bar(int series, double x, double x2, double y, std::string_view hint) {
  const double from = x_of(x) + 0.5;
  const double high = y_of(y);
  shapes_ += fmt::format(
      "<rect class=\"bar series{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{:.1f}\"><title>{}</title></rect>\n",
      series, from, high, std::max(x_of(x2) - from - 0.5, 1.0), top + inner_height - high, html_escaped(hint));
}

void svg_plot::legend(int series, std::string_view name) {
  constexpr double character = 7.2, swatch = 22;
  legends_ += fmt::format(
      "<line class=\"line series{}\" x1=\"{:.1f}\" y1=\"14\" x2=\"{:.1f}\" y2=\"14\"/>"
      "<text class=\"legend\" x=\"{:.1f}\" y=\"18\">{}</text>\n",
      series, legend_at_, legend_at_ + swatch, legend_at_ + swatch + 7, html_escaped(name));
  legend_at_ += swatch + 7 + character * static_cast<double>(name.size()) + 18;
}

std::string svg_plot::axes() const {
  std::string out;
  for (const auto& [at, text] : y_.marks) {
    const double y = top + inner_height * (1 - at);
    out += fmt::format("<line class=\"grid\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>", left, y, width - right,
                       y);
    out += fmt::format("<text class=\"mark\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", left - 8, y + 4,
                       text);
  }
  for (const auto& [at, text] : x_.marks) {
    const double x = left + inner_width * at;
    out += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\"/>", x, top, x,
                       top + inner_height);
    out += fmt::format("<text class=\"mark\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", x,
                       top + inner_height + 18, text);
  }
  out += fmt::format("<path class=\"axis\" d=\"M{} {} V{} H{}\"/>\n", left, top, top + inner_height, width - right);
  out += fmt::format("<text class=\"title\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n",
                     left + inner_width / 2, height - 12, html_escaped(x_.title));
  out +=
      fmt::format("<text class=\"title\" text-anchor=\"middle\" transform=\"translate(14 {}) rotate(-90)\">{}</text>\n",
                  top + inner_height / 2, html_escaped(y_.title));
  return out;
}

std::string svg_plot::str() const {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}{}{}</svg>\n", width, height,
                     html_escaped(description_), axes(), shapes_, legends_);
}

}  // namespace detent::tool
