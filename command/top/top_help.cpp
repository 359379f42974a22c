// SPDX-License-Identifier: MIT
#include "top/top_help.hpp"

#include <cstddef>

namespace detent::tool {
namespace {

struct help_line {
  const char* left;
  const char* right;
};

constexpr help_line keys[] = {
    {"up down PgUp PgDn Home End", "select the engine that the lower part is about"},
    {"left right", "scroll the columns that do not fit"},
    {"< >", "sort by the next column, R turns; a set's shards"},
    {"N E S F T", "sort by PID, name, SCHED/s, FIRED/s, PEND"},
    {"L M P B", "sort by lateness P99, MAX, CPU%, BACKLOG"},
    {"w", "figures of the whole life, or of the last interval"},
    {"Enter", "the lower part on and off"},
    {"d   space   q", "delay between two readings; read now; quit"},
};

constexpr help_line words[] = {
    {"PEND", "timers pending"},
    {"DRAIN", "submitted, or drained by the driver, after the deadline"},
    {"WAIT", "the driver overslept, or had no CPU, or was not there"},
    {"WORKER", "the driver was busy, mostly with other callbacks"},
    {"DISPATCH", "the executor had no thread free"},
    {"MISS/s", "periods of fixed-rate timers that no run was for"},
    {"LATE BY", "which of these four has the largest SHARE"},
    {"SHARE", "of all lateness together"},
    {"CALLBACK", "how long callbacks took, P99"},
    {"BACKLOG", "operations that the driver has not drained yet"},
    {"MARGIN", "how long before a deadline the worker stops sleeping and spins"},
    {"CPU%", "of the worker's thread; a busy wait has 100"},
};

}  // namespace

void draw_help(screen_grid& grid) {
  constexpr std::size_t keys_width = 28, words_width = 10;
  grid.put(0, grid.put(0, 0, "detent top", text_style::strong), "; any key goes back");
  std::size_t line = 2;
  const auto put = [&](const help_line& each, std::size_t width) {
    grid.put(line, 0, each.left, text_style::strong);
    grid.put(line++, width, each.right);
  };
  for (const help_line& each : keys) put(each, keys_width);
  grid.put(++line, 0, "Lateness is start - deadline. Its parts, and the other columns:");
  ++line;
  for (const help_line& each : words) put(each, words_width);
}

}  // namespace detent::tool
