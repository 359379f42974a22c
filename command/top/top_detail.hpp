// SPDX-License-Identifier: MIT
// All about one engine: its options, its lateness by cause, its labels, its p99 over time.
#pragma once
#include <cstddef>

#include "top/screen_grid.hpp"
#include "top/top_row.hpp"

namespace detent::tool {

// Returns the fewest lines that it needs at this width, without labels and without the line over time.
std::size_t least_detail_lines(const top_row& row, std::size_t width);
// Draws `lines` lines, beginning at `top`. `seconds` is the time between two points of the line over time.
void draw_detail(screen_grid& grid, std::size_t top, std::size_t lines, const top_row& row, double seconds);

}  // namespace detent::tool
