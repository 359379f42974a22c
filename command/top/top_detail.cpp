// SPDX-License-Identifier: MIT
#include "top/top_detail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "text/compact_units.hpp"
#include "top/row_text.hpp"
#include "top/top_curve.hpp"
#include "top/top_labels.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t times_lines = 7;  // the heading, four parts, the whole, callbacks
constexpr std::size_t rates_at = 63, rates_width = 17;

std::string title_of(const top_row& row) {
  const std::string instance = row.identity.instance.empty() ? "" : " - instance " + row.identity.instance;
  return fmt::format(" {}{} - process {} - up {} ", row.identity.name, instance, row.identity.process,
                     age_text(row.age));
}

void draw_rule(screen_grid& grid, std::size_t line, const top_row& row) {
  for (std::size_t column = 0; column < grid.width(); ++column) {
    grid.put(line, column, grid.unicode() ? "─" : "-", text_style::quiet);
  }
  grid.put(line, 2, title_of(row), text_style::strong);
}

struct times_row {
  const char* name;
  cause key;
  bool part;
};
constexpr std::array<times_row, times_lines - 1> times_rows = {{{"drain", cause::drain, true},
                                                                {"wait", cause::wait, true},
                                                                {"worker", cause::worker, true},
                                                                {"dispatch", cause::dispatch, true},
                                                                {"total", cause::lateness, false},
                                                                {"callback", cause::callback, false}}};

std::string bar_of(double share, std::size_t width, bool unicode) {
  const auto filled = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
  std::string bar;
  for (std::size_t i = 0; i < std::min(filled, width); ++i) bar += unicode ? "█" : "#";
  return bar;
}

void draw_times(screen_grid& grid, std::size_t top, const top_row& row) {
  constexpr const char* headings[] = {"P50", "P90", "P99", "P99.9", "MAX"};
  constexpr std::size_t name_width = 9, width = 6, share_at = 48, bar_width = 8;
  const auto column_at = [](std::size_t i) { return 1 + name_width + 1 + i * (width + 1); };
  grid.put(top, 1, "LATE BY", text_style::heading);
  for (std::size_t i = 0; i < std::size(headings); ++i) {
    grid.put_right(top, column_at(i), width, headings[i], text_style::heading);
  }
  grid.put(top, share_at, "SHARE", text_style::heading);
  const auto main = main_cause(row.times);
  for (std::size_t line = 0; line < times_rows.size(); ++line) {
    const auto& [name, key, part] = times_rows[line];
    const time_figures& figures = row.times[key];
    const text_style style = part && main == key ? text_style::strong : text_style::plain;
    const std::size_t at = top + 1 + line;
    grid.put(at, 1, name, style);
    const double values[] = {figures.p50, figures.p90, figures.p99, figures.p999, figures.most};
    for (std::size_t i = 0; i < std::size(values); ++i) {
      grid.put_right(at, column_at(i), width, figures.count == 0 ? "-" : compact_time(values[i], 3), style);
    }
    if (!part || !main) continue;
    const double share = share_of(row.times, key);
    grid.put_right(at, share_at, 5, fmt::format("{:.0f} %", share * 100), style);
    grid.put(at, share_at + 6, bar_of(share, bar_width, grid.unicode()), text_style::bar);
  }
}

void draw_rates(screen_grid& grid, std::size_t top, const top_row& row) {
  if (rates_at + rates_width > grid.width()) return;
  const auto rate = [&row](counter key) { return compact_count(row.rates[key]); };
  const std::pair<const char*, std::string> lines[] = {{"scheduled/s", rate(counter::scheduled)},
                                                       {"fired/s", rate(counter::fired)},
                                                       {"cancelled/s", rate(counter::cancelled)},
                                                       {"restarted/s", rate(counter::restarted)},
                                                       {"wake-ups/s", compact_count(row.wakeups)},
                                                       {"pending", compact_count(static_cast<double>(row.pending))},
                                                       {"backlog", compact_count(static_cast<double>(row.backlog))}};
  for (std::size_t i = 0; i < std::size(lines); ++i) {
    grid.put(top + i, rates_at, lines[i].first);
    grid.put_right(top + i, rates_at + 11, rates_width - 11, lines[i].second);
  }
  top += std::size(lines);
  if (row.queued) {
    grid.put(top, rates_at, "queued");
    grid.put_right(top++, rates_at + 11, rates_width - 11, compact_count(static_cast<double>(*row.queued)));
  }
  if (row.rates[counter::missed] == 0) return;
  grid.put(top, rates_at, "missed/s", text_style::alarm);
  grid.put_right(top, rates_at + 11, rates_width - 11, rate(counter::missed), text_style::alarm);
}

// The height of times and rates side by side.
std::size_t figures_lines(const top_row& row) {
  return times_lines + (row.queued ? 1 : 0) + (row.rates[counter::missed] > 0 ? 1 : 0);
}

}  // namespace

std::size_t least_detail_lines(const top_row& row, std::size_t width) {
  const auto line = [](bool there) -> std::size_t { return there ? 1 : 0; };
  return 2 + line(row.set.has_value()) + line(!advice_of(row).empty()) + line(!failures_of(row).empty()) +
         line(!row.stall.empty()) + line(!row.last_error.empty()) + figures_lines(row) +
         why_late_of(row, width - 1).size();
}

void draw_detail(screen_grid& grid, std::size_t top, std::size_t lines, const top_row& row, double seconds) {
  const std::size_t bottom = top + lines;
  draw_rule(grid, top++, row);
  grid.put_left(top++, 1, grid.width() - 1, options_of(row));
  if (row.set) grid.put_left(top++, 1, grid.width() - 1, text_of(*row.set));
  if (const std::string advice = advice_of(row); !advice.empty())
    grid.put_left(top++, 1, grid.width() - 1, advice, text_style::alarm);
  for (const std::string& each : why_late_of(row, grid.width() - 1)) grid.put(top++, 1, each, text_style::strong);
  if (!row.stall.empty()) grid.put_left(top++, 1, grid.width() - 1, row.stall, text_style::alarm);
  if (const std::string failures = failures_of(row); !failures.empty()) {
    grid.put_left(top++, 1, grid.width() - 1, failures, text_style::alarm);
  }
  if (const std::string error = last_error_of(row); !error.empty()) {
    grid.put_left(top++, 1, grid.width() - 1, error, text_style::alarm);
  }
  draw_times(grid, top, row);
  draw_rates(grid, top, row);
  top += figures_lines(row);
  // The line over time gets the room that labels leave, and needs a few lines to be readable.
  const std::size_t left = bottom - top;
  const std::size_t labels = row.labels.empty() ? 0 : row.labels.size() + 1;
  const std::size_t curve = left >= labels + least_curve_lines ? std::min(left - labels, most_curve_lines) : 0;
  if (labels != 0 && left - curve >= 2) draw_labels(grid, top, std::min(left - curve, labels), row.labels);
  if (curve != 0) draw_curve(grid, top + labels, curve, row.p99s, seconds);
}

}  // namespace detent::tool
