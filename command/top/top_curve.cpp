// SPDX-License-Identifier: MIT
#include "top/top_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/compact_units.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t left = 9;  // of the bars, after the scale

void draw_bar(screen_grid& grid, std::size_t bottom, std::size_t lines, std::size_t column, std::size_t level) {
  for (std::size_t line = 0; line < lines && level > 8 * line; ++line) {
    const std::size_t part = std::min<std::size_t>(level - 8 * line, 8);
    grid.put(bottom - line, column, spark_glyph(part, grid.unicode()), text_style::curve);
  }
}

}  // namespace

void draw_curve(screen_grid& grid, std::size_t top, std::size_t lines, optional_times times, double seconds) {
  if (grid.width() <= left + 1) return;
  const std::size_t width = grid.width() - left - 1, height = lines - 1, bottom = top + height;
  const optional_times shown = times.last(std::min(width, times.size()));
  grid.put(top, 1, "P99 of all lateness over time", text_style::heading);
  if (std::none_of(shown.begin(), shown.end(), [](const auto& each) { return each.has_value(); })) {
    grid.put(top + 1, 1, "Nothing has fired since the first reading.", text_style::quiet);
    return;
  }
  const spark_scale scale = scale_for(shown);
  grid.put(top, 32, fmt::format("a column each {}, the latest at the right", delay_text(seconds)), text_style::quiet);
  grid.put_right(top + 1, 0, left - 2, compact_time(scale.most, 3));
  if (height > 2)
    grid.put_right(top + 1 + height / 2, 0, left - 2, compact_time(std::sqrt(scale.least * scale.most), 3));
  grid.put_right(bottom, 0, left - 2, compact_time(scale.least, 3));
  for (std::size_t line = top + 1; line <= bottom; ++line) {
    grid.put(line, left - 1, grid.unicode() ? "│" : "|", text_style::quiet);
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    const std::size_t column = left + width - shown.size() + i;
    draw_bar(grid, bottom, height, column, spark_level(*shown[i], scale, 8 * height));
  }
}

}  // namespace detent::tool
