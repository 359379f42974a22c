// SPDX-License-Identifier: MIT
// The table of engines, a line each.
#pragma once
#include <cstddef>
#include <vector>

#include "top/screen_grid.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

// Which columns fit, and how wide: the first two always, then those after `scrolled`, and what is left for the line
// of p99 over time.
struct table_layout {
  struct place {
    top_column column;
    std::size_t at, width;
  };
  std::vector<place> places;
  std::size_t spark_at = 0, spark_width = 0;  // 0: no room
};
table_layout lay_out(const std::vector<top_row>& rows, std::size_t width, std::size_t scrolled);
// The least `scrolled` from `wanted` on, or the most before it, at which this column is seen.
std::size_t scrolled_to(top_column column, const std::vector<top_row>& rows, std::size_t width, std::size_t wanted);

// In `lines` lines from `top` on, the first of them the heading; the selected engine is among those shown.
void draw_table(screen_grid& grid, std::size_t top, std::size_t lines, const top_model& model, std::size_t scrolled);

}  // namespace detent::tool
