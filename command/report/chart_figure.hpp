// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report/plot_scale.hpp"
#include "report/svg_plot.hpp"

namespace detent::tool {

// A plot with everything that is needed to read it.
struct chart {
  enum class mark : std::uint8_t { line, bar };
  struct entry {
    int series;
    mark drawn;
    std::string name;
  };

  std::string title;
  std::string caption;      // what it shows and how to read it
  std::string description;  // the figures in words, for screen readers
  plot_scale x, y;
  std::vector<entry> legend;
  std::function<void(svg_plot&)> draw;
  std::vector<plot_size> sizes = {wide_plot, narrow_plot};
};

// Returns one <figure>: heading, caption if there is one, legend, and the plot in each of its sizes. The page's style
// shows either the one for wide screens or the one for narrow ones.
std::string figure_of(const chart& chart);

}  // namespace detent::tool
