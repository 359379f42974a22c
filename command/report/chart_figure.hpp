// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report/plot_scale.hpp"
#include "report/svg_plot.hpp"

namespace detent::tool {

// A plot with all that it takes to read it.
struct chart {
  enum class mark : std::uint8_t { line, bar };
  struct entry {
    int series;
    mark drawn;
    std::string name;
  };

  std::string title;
  std::string caption;      // what it shows and how to read it
  std::string description;  // its figures in words, for readers that cannot see it
  plot_scale x, y;
  std::vector<entry> legend;
  std::function<void(svg_plot&)> draw;
  std::vector<plot_size> sizes = {wide_plot, narrow_plot};
};

// One <figure>: heading, caption if there is one, legend, and the plot drawn in each of its sizes. Of the two that are
// for wide screens and for narrow ones, the page's style shows one.
std::string figure_of(const chart& chart);

}  // namespace detent::tool
