// SPDX-License-Identifier: MIT
#include "top/top_table.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "top/spark_line.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t fixed_columns = 2;  // process and engine stay on the left
constexpr std::size_t all_columns = static_cast<std::size_t>(top_column::count_);
constexpr std::size_t least_spark = 6, good_spark = 10, most_spark = 40;
constexpr std::size_t least_name = 8, good_name = 10, most_name = 24;

std::size_t widest(const std::vector<top_row>& rows, top_column column) {
  std::size_t width = std::char_traits<char>::length(form_of(column).heading);
  for (const top_row& row : rows) width = std::max(width, text_of(column, row).size());
  return width;
}

}  // namespace

table_layout lay_out(const std::vector<top_row>& rows, std::size_t width, std::size_t scrolled) {
  const std::size_t process = widest(rows, top_column::process);
  const std::size_t longest_name = std::min(widest(rows, top_column::engine), most_name);
  std::size_t name = std::min(longest_name, least_name);
  std::size_t used = process + 1 + name;
  table_layout layout;
  layout.places = {{top_column::process, 0, process}, {top_column::engine, process + 1, name}};

  // Room that the columns leave goes first to names that can be recognised, then to a useful spark line, then to the
  // rest of the names.
  const auto grow_name = [&](std::size_t most, std::size_t spark) {
    const std::size_t spare = width - std::min(width, used + 1 + spark);
    const std::size_t more = std::min(std::max(std::min(longest_name, most), name) - name, spare);
    name += more;
    used += more;
  };
  for (std::size_t i = fixed_columns + scrolled; i < all_columns; ++i) {
    const auto column = static_cast<top_column>(i);
    // The columns up to the worker's CPU matter most. The others take no room from names and the line.
    const bool first = column <= top_column::cpu;
    if (!first) grow_name(most_name, good_spark);
    const std::size_t spark = first ? least_spark : good_spark;
    const std::size_t after = used + 1 + form_of(column).width;
    if (after > width || (after + 1 + spark > width && i != fixed_columns + scrolled)) break;
    layout.places.push_back({column, 0, form_of(column).width});
    used = after;
  }
  grow_name(good_name, least_spark);
  grow_name(most_name, good_spark);
  layout.places[1].width = name;
  std::size_t at = 0;
  for (table_layout::place& each : layout.places) {
    each.at = at;
    at += each.width + 1;
  }
  if (at + least_spark <= width) {
    layout.spark_at = at;
    layout.spark_width = std::min(width - at, most_spark);
  }
  return layout;
}

std::size_t scrolled_to(top_column column, const std::vector<top_row>& rows, std::size_t width, std::size_t wanted) {
  const auto index = static_cast<std::size_t>(column);
  if (index < fixed_columns) return wanted;
  std::size_t scrolled = std::min(wanted, index - fixed_columns);
  const auto is_seen = [&] {
    const table_layout layout = lay_out(rows, width, scrolled);
    return layout.places.size() == fixed_columns || layout.places.back().column >= column;
  };
  while (scrolled < index - fixed_columns && !is_seen()) ++scrolled;
  return scrolled;
}

namespace {

// One scale for all engines, so that their lines can be compared.
spark_scale scale_of(const std::vector<top_row>& rows, std::size_t width) {
  std::vector<std::optional<double>> seen;
  for (const top_row& row : rows) {
    const std::size_t count = std::min(width, row.p99s.size());
    seen.insert(seen.end(), row.p99s.end() - static_cast<std::ptrdiff_t>(count), row.p99s.end());
  }
  return scale_for(seen);
}

void draw_heading(screen_grid& grid, std::size_t line, const table_layout& layout, top_column sorted_by) {
  grid.style_row(line, text_style::heading);
  for (const auto& [column, at, width] : layout.places) {
    const text_style style = column == sorted_by ? text_style::sorted : text_style::heading;
    const column_form& form = form_of(column);
    form.left ? grid.put_left(line, at, width, form.heading, style)
              : grid.put_right(line, at, width, form.heading, style);
  }
  if (layout.spark_width == 0) return;
  grid.put_left(line, layout.spark_at, layout.spark_width, layout.spark_width < 9 ? "P99" : "P99 TREND",
                text_style::heading);
}

// Also drawn in the selected row.
void draw_alarm(screen_grid& grid, std::size_t line, const table_layout& layout, const top_row& row) {
  for (const auto& [column, at, width] : layout.places) {
    if (column == top_column::missed && row.rates[counter::missed] > 0)
      grid.put_right(line, at, width, text_of(column, row), text_style::alarm);
  }
}

void draw_row(screen_grid& grid, std::size_t line, const table_layout& layout, const top_row& row, spark_scale scale) {
  for (const auto& [column, at, width] : layout.places) {
    const std::string text = text_of(column, row);
    form_of(column).left ? grid.put_left(line, at, width, text) : grid.put_right(line, at, width, text);
  }
  if (layout.spark_width == 0) return;
  grid.put(line, layout.spark_at, spark_line(row.p99s, scale, layout.spark_width, grid.unicode()), text_style::curve);
}

}  // namespace

void draw_table(screen_grid& grid, std::size_t top, std::size_t lines, const top_model& model, std::size_t scrolled) {
  const std::vector<top_row>& rows = model.rows();
  const table_layout layout = lay_out(rows, grid.width(), scrolled);
  const spark_scale scale = scale_of(rows, layout.spark_width);
  draw_heading(grid, top, layout, model.sorted_by());
  const std::size_t shown = lines - 1;
  const std::size_t first = model.selected() < shown ? 0 : model.selected() - shown + 1;
  for (std::size_t i = first; i < std::min(first + shown, rows.size()); ++i) {
    const std::size_t line = top + 1 + i - first;
    draw_row(grid, line, layout, rows[i], scale);
    if (i == model.selected()) grid.style_row(line, text_style::selected);
    draw_alarm(grid, line, layout, rows[i]);
  }
}

}  // namespace detent::tool
