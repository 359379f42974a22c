// SPDX-License-Identifier: MIT
// An engine's p99 over time, as a field of bars with a logarithmic scale at its left.
#pragma once
#include <cstddef>

#include "top/screen_grid.hpp"
#include "top/spark_line.hpp"

namespace detent::tool {

inline constexpr std::size_t least_curve_lines = 3, most_curve_lines = 20;

// Draws `lines` lines, beginning at `top`; the first is the heading. `seconds` is the time between two points.
void draw_curve(screen_grid& grid, std::size_t top, std::size_t lines, optional_times times, double seconds);

}  // namespace detent::tool
