// SPDX-License-Identifier: MIT
#include "top/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "host/host_files.hpp"
#include "text/compact_units.hpp"

namespace detent::tool {

std::string age_text(double ns) {
  const auto seconds = static_cast<std::uint64_t>(std::max(ns, 0.0) / 1e9);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  if (seconds < 86400) return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

std::string options_of(const top_row& row) {
  const engine_identity& engine = row.identity;
  std::string text =
      engine.worker_thread == 0 ? std::string("driven by its caller") : fmt::format("{} wait", engine.wait);
  if (row.margin) text += fmt::format(", spin window {}", compact_time(*row.margin));
  if (engine.worker_thread != 0) text += fmt::format(", worker {}", engine.worker_thread);
  text += fmt::format(", {} wheel, {} clock", engine.wheel, engine.clock);
  if (*engine.clock_reason != '\0') text += fmt::format(" ({})", engine.clock_reason);
  if (engine.tick > 1) text += fmt::format(", tick {}", compact_time(static_cast<double>(engine.tick)));
  if (engine.capacity != 0) text += fmt::format(", at most {}", compact_count(static_cast<double>(engine.capacity)));
  return text;
}

std::string last_error_of(const top_row& row) {
  return row.last_error.empty() ? ""
                                : fmt::format("last error, {} ago: {}", age_text(row.last_error_age), row.last_error);
}

std::string failures_of(const top_row& row) {
  struct failure {
    std::uint64_t count;
    const char *one, *several;
  };
  const failure failures[] = {{row.over_capacity, "refused at the limit", "refused at the limit"},
                              {row.refused, "refused by the executor", "refused by the executor"},
                              {row.dropped, "dropped", "dropped"},
                              {row.failed, "callback threw", "callbacks threw"},
                              {row.slow, "callback slow", "callbacks slow"},
                              {row.missed, "period missed", "periods missed"},
                              {row.lost_records, "operation not recorded", "operations not recorded"},
                              {row.clock_distrusted, "time the TSC disagreed with the steady clock",
                               "times the TSC disagreed with the steady clock"}};
  std::string text;
  for (const auto& [count, one, several] : failures) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "in its life: " : ", ", compact_count(static_cast<double>(count)),
                        count == 1 ? one : several);
  }
  return text;
}

std::vector<std::string> why_late_of(const top_row& row, std::size_t width) {
  const bool stalls = row.overdue > 0;
  if (!stalls && (!is_late(row) || !row.why.is)) return {};
  const std::string why = stalls ? overdue_text(row.overdue, row.why_overdue) : text_of(row.why);
  const std::string cure = stalls ? overdue_cure(row.why_overdue) : cure_of(row.why);
  std::vector<std::string> lines;
  for (const auto& [head, text] : {std::pair("late: ", why), std::pair("do: ", cure)}) {
    std::string line = head;
    for (const std::string_view word : words_of(text)) {
      if (line.size() + word.size() > width) {
        lines.push_back(std::move(line));
        line = "  ";
      }
      line += std::string(word) + " ";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace detent::tool
