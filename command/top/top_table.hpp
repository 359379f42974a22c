// SPDX-License-Identifier: MIT
// The table of engines, a line each.
#pragma once
#include <cstddef>
#include <vector>

#include "top/screen_grid.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

// Which columns fit, and how wide they are: always the first two, then those after `scrolled`. The rest of the room
// goes to the line of p99 over time.
struct table_layout {
  struct place {
    top_column column;
    std::size_t at, width;
  };
  std::vector<place> places;
  std::size_t spark_at = 0, spark_width = 0;  // 0 if there is no room
};
table_layout lay_out(const std::vector<top_row>& rows, std::size_t width, std::size_t scrolled);
// Returns the least `scrolled` from `wanted` on that shows this column, or otherwise the greatest below it.
std::size_t scrolled_to(top_column column, const std::vector<top_row>& rows, std::size_t width, std::size_t wanted);

// Draws `lines` lines, beginning at `top`; the first is the heading. The selected engine is among those shown.
void draw_table(screen_grid& grid, std::size_t top, std::size_t lines, const top_model& model, std::size_t scrolled);

}  // namespace detent::tool
