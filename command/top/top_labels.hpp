// SPDX-License-Identifier: MIT
// The table of an engine's labels, a line each.
#pragma once
#include <cstddef>
#include <vector>

#include "top/screen_grid.hpp"
#include "top/top_row.hpp"

namespace detent::tool {

// Draws `lines` lines, at least 2, beginning at `top`. The last one says how many labels found no room.
void draw_labels(screen_grid& grid, std::size_t top, std::size_t lines, const std::vector<top_label>& labels);

}  // namespace detent::tool
