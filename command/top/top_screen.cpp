// SPDX-License-Identifier: MIT
#include "top/top_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "text/compact_units.hpp"
#include "top/row_text.hpp"
#include "top/top_detail.hpp"
#include "top/top_help.hpp"
#include "top/top_table.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t head_lines = 3;  // the title, the sums, an empty one

std::string counted(std::size_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string title_of(const top_model& model, const top_view& view) {
  std::set<std::int64_t> processes;
  for (const top_row& row : model.rows()) processes.insert(row.identity.process);
  return fmt::format("{}, {} in {}, {}", view.time, counted(model.rows().size(), "engine", "engines"),
                     counted(processes.size(), "process", "processes"),
                     model.span() == top_span::recent ? fmt::format("last {}", delay_text(view.delay))
                                                      : fmt::format("whole life, every {}", delay_text(view.delay)));
}

void draw_head(screen_grid& grid, const top_model& model, const top_view& view) {
  const std::size_t at = grid.put(0, 0, "detent top - ", text_style::strong);
  grid.put(0, at, title_of(model, view));
  constexpr std::pair<counter, const char*> rates[] = {{counter::scheduled, "sched"},
                                                       {counter::fired, "fired"},
                                                       {counter::cancelled, "cancel"},
                                                       {counter::restarted, "restart"}};
  std::size_t column = 0;
  const auto add = [&](const char* what, double number, const char* unit) {
    column = grid.put(1, column, fmt::format("{} ", what));
    column = grid.put(1, column, compact_count(number), text_style::strong);
    column = grid.put(1, column, unit) + 2;
  };
  for (const auto& [key, name] : rates) {
    double sum = 0;
    for (const top_row& row : model.rows()) sum += row.rates[key];
    add(name, sum, "/s");
  }
  double pending = 0;
  for (const top_row& row : model.rows()) pending += static_cast<double>(row.pending);
  add("pending", pending, "");
}

void draw_last_line(screen_grid& grid, const top_model& model, const top_view& view) {
  const std::size_t line = grid.height() - 1;
  if (!view.prompt.empty()) {
    grid.put(line, 0, view.prompt, text_style::strong);
  } else if (!view.message.empty()) {
    grid.put_left(line, 0, grid.width(), view.message, text_style::strong);
  } else {
    grid.put(line, 0,
             fmt::format("q quit  h help  {} select  < > sort: {}{}  w {}", grid.unicode() ? "↑↓" : "up down",
                         form_of(model.sorted_by()).heading, model.reversed() ? " (R)" : "",
                         model.span() == top_span::recent ? "whole life" : "recent"),
             text_style::quiet);
  }
}

void draw_nothing(screen_grid& grid, std::size_t line, const top_view& view) {
  grid.put(line, 0, "No engine with a counters file " + view.where + ".");
  grid.put(line + 1, 0, "An engine has one with engine_options::counters_file = \"auto\".");
  grid.put(line + 2, 0, fmt::format("Looking again every {}.", delay_text(view.delay)));
}

}  // namespace

screen_grid draw_top(const top_model& model, const top_view& view, std::size_t width, std::size_t height,
                     bool unicode) {
  screen_grid grid(width, height, unicode);
  if (width < least_width || height < least_height) {
    grid.put(0, 0, fmt::format("{}x{}: too small, needs {}x{}", width, height, least_width, least_height));
    return grid;
  }
  if (view.help) {
    draw_help(grid);
    return grid;
  }
  draw_head(grid, model, view);
  draw_last_line(grid, model, view);
  if (model.rows().empty()) {
    draw_nothing(grid, head_lines, view);
    return grid;
  }
  const std::size_t head = height < 12 ? head_lines - 1 : head_lines;
  const std::size_t room = height - head - 1;
  const top_row& selected = *model.selected_row();
  // At least three engines stay above the detail. Labels get up to five lines of the rest.
  const std::size_t rows = model.rows().size(), least_rows = std::min<std::size_t>(rows, 3);
  const std::size_t detail = least_detail_lines(selected, width);
  std::size_t table = room;
  if (view.detail && room >= 1 + least_rows + detail) {
    const std::size_t labels = selected.labels.empty() ? 0 : std::min<std::size_t>(selected.labels.size() + 1, 5);
    const std::size_t spare = room - 1 - least_rows - detail;
    const std::size_t for_labels = std::min(labels, spare);
    table = 1 + std::min(rows, least_rows + spare - for_labels);
    draw_detail(grid, head + table, room - table, selected, view.delay);
  }
  draw_table(grid, head, table, model, view.scrolled);
  return grid;
}

namespace {

// Below the table, the lines that the lower part of a screen has of an engine in trouble.
std::string notes_of(const top_row& row, std::size_t width, bool unicode) {
  std::vector<std::string> lines = why_late_of(row, width - 2);
  lines.insert(lines.begin(), advice_of(row));
  lines.insert(lines.end(), {row.stall, failures_of(row), last_error_of(row)});
  std::erase(lines, "");
  if (lines.empty()) return "";
  screen_grid grid(width, lines.size() + 2, unicode);
  grid.put(1, 0, fmt::format("{}, process {}", row.identity.name, row.identity.process));
  for (std::size_t i = 0; i < lines.size(); ++i) grid.put(i + 2, 2, lines[i]);
  return grid.text();
}

}  // namespace

std::string top_text(const top_model& model, const top_view& view, bool unicode) {
  constexpr std::size_t width = 200;
  screen_grid grid(width, head_lines + std::max<std::size_t>(model.rows().size() + 1, 4), unicode);
  draw_head(grid, model, view);
  if (model.rows().empty()) {
    draw_nothing(grid, head_lines, view);
  } else {
    draw_table(grid, head_lines, model.rows().size() + 1, model, 0);
  }
  std::string text = grid.text();
  for (const top_row& row : model.rows()) text += notes_of(row, width, unicode);
  if (!view.message.empty()) text += view.message + "\n";
  return text;
}

}  // namespace detent::tool
