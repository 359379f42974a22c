// SPDX-License-Identifier: MIT
#include "top/top_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "text/compact_units.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t least_name = 8, most_name = 40;

struct label_column {
  const char* heading;
  std::size_t width;
  bool left;
  std::string (*text)(const top_label& label);
  bool (*alarms)(const top_label& label) = [](const top_label&) { return false; };
};

std::string time_text_of(const time_figures& figures, double value) {
  return figures.count == 0 ? "-" : compact_time(value);
}

constexpr label_column columns[] = {
    {"SCHED/s", 7, false, [](const top_label& label) { return compact_count(label.scheduled); }},
    {"FIRED/s", 7, false, [](const top_label& label) { return compact_count(label.fired); }},
    {"MISS/s", 6, false, [](const top_label& label) { return compact_count(label.missed); },
     [](const top_label& label) { return label.missed > 0; }},
    {"PENDING", 7, false, [](const top_label& label) { return compact_count(static_cast<double>(label.pending)); }},
    {"P50", 5, false,
     [](const top_label& label) {
       return time_text_of(label.times[cause::lateness], label.times[cause::lateness].p50);
     }},
    {"P99", 5, false,
     [](const top_label& label) {
       return time_text_of(label.times[cause::lateness], label.times[cause::lateness].p99);
     }},
    {"MAX", 5, false,
     [](const top_label& label) {
       return time_text_of(label.times[cause::lateness], label.times[cause::lateness].most);
     }},
    {"LATE BY", 8, true,
     [](const top_label& label) {
       const auto by = main_cause(label.times);
       return std::string(by ? name_of(*by) : "-");
     }},
    {"CALLBACK", 8, false,
     [](const top_label& label) {
       return time_text_of(label.times[cause::callback], label.times[cause::callback].p99);
     }},
};

}  // namespace

void draw_labels(screen_grid& grid, std::size_t top, std::size_t lines, const std::vector<top_label>& labels) {
  std::size_t others = 1;
  for (const label_column& each : columns) others += 1 + each.width;
  const std::size_t name = std::clamp(grid.width() - std::min(others, grid.width()), least_name, most_name);
  const std::size_t shown = labels.size() < lines ? labels.size() : lines - 2;
  std::size_t at = 1 + name;
  grid.put(top, 1, "LABEL", text_style::heading);
  for (std::size_t i = 0; i < shown; ++i) grid.put_left(top + 1 + i, 1, name, labels[i].name);
  for (const label_column& each : columns) {
    if (at + 1 + each.width > grid.width()) break;
    const auto put = [&](std::size_t line, const std::string& text, text_style style) {
      each.left ? grid.put_left(line, at + 1, each.width, text, style)
                : grid.put_right(line, at + 1, each.width, text, style);
    };
    put(top, each.heading, text_style::heading);
    for (std::size_t i = 0; i < shown; ++i)
      put(top + 1 + i, each.text(labels[i]), each.alarms(labels[i]) ? text_style::alarm : text_style::plain);
    at += 1 + each.width;
  }
  if (shown < labels.size()) {
    grid.put(top + lines - 1, 1, fmt::format("and {} labels more", labels.size() - shown), text_style::quiet);
  }
}

}  // namespace detent::tool
