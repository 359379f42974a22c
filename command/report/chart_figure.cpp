// SPDX-License-Identifier: MIT
#include "report/chart_figure.hpp"

#include <fmt/format.h>

#include "text/html_text.hpp"

namespace detent::tool {
namespace {

std::string swatch(const chart::entry& entry) {
  const std::string shape =
      entry.drawn == chart::mark::line
          ? fmt::format("<line class=\"line series{}\" x1=\"0\" y1=\"6\" x2=\"26\" y2=\"6\"/>", entry.series)
          : fmt::format("<rect class=\"box series{}\" x=\"5\" y=\"0\" width=\"16\" height=\"12\"/>", entry.series);
  return fmt::format("<svg class=\"swatch\" viewBox=\"0 0 26 12\" aria-hidden=\"true\">{}</svg>", shape);
}

std::string drawn(const chart& chart, const plot_size& size) {
  svg_plot plot(chart.x, chart.y, size);
  chart.draw(plot);
  return plot.str(chart.title + ". " + chart.description);
}

}  // namespace

std::string figure_of(const chart& chart) {
  std::string legend;
  for (const chart::entry& entry : chart.legend)
    legend += fmt::format("<li>{}{}</li>\n", swatch(entry), html_escaped(entry.name));
  const std::string caption = chart.caption.empty() ? "" : fmt::format("\n<p>{}</p>", html_escaped(chart.caption));
  std::string plots;
  for (const plot_size& size : chart.sizes) plots += drawn(chart, size);
  return fmt::format("<figure>\n<figcaption><h3>{}</h3>{}</figcaption>\n<ul class=\"legend\">\n{}</ul>\n{}</figure>\n",
                     html_escaped(chart.title), caption, legend, plots);
}

}  // namespace detent::tool
