// SPDX-License-Identifier: MIT
#include "top/top_column.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <tuple>

#include "text/compact_units.hpp"

namespace detent::tool {
namespace {

constexpr double none = -1;

std::optional<cause> part_of(top_column column) {
  switch (column) {
    case top_column::drain: return cause::drain;
    case top_column::wait: return cause::wait;
    case top_column::worker: return cause::worker;
    case top_column::dispatch: return cause::dispatch;
    case top_column::callback: return cause::callback;
    default: return std::nullopt;
  }
}

std::optional<counter> rate_of(top_column column) {
  switch (column) {
    case top_column::scheduled: return counter::scheduled;
    case top_column::fired: return counter::fired;
    case top_column::missed: return counter::missed;
    case top_column::cancelled: return counter::cancelled;
    case top_column::restarted: return counter::restarted;
    default: return std::nullopt;
  }
}

// Returns the value in a column of times, in nanoseconds, or `none` if nothing fired.
double time_of(top_column column, const top_row& row) {
  const time_figures& all = row.times[cause::lateness];
  const auto known = [](const time_figures& figures, double value) { return figures.count == 0 ? none : value; };
  if (const auto part = part_of(column)) return known(row.times[*part], row.times[*part].p99);
  switch (column) {
    case top_column::p50: return known(all, all.p50);
    case top_column::p99: return known(all, all.p99);
    case top_column::most: return known(all, all.most);
    case top_column::worst: return row.set && all.count != 0 ? row.set->worst_p99 : none;
    default: return row.margin.value_or(none);
  }
}

double number_of(top_column column, const top_row& row) {
  if (const auto rate = rate_of(column)) return row.rates[*rate];
  switch (column) {
    case top_column::process: return static_cast<double>(row.identity.process);
    case top_column::pending: return static_cast<double>(row.pending);
    case top_column::backlog: return static_cast<double>(row.backlog);
    case top_column::queued: return row.queued ? static_cast<double>(*row.queued) : none;
    case top_column::cpu: return row.cpu.value_or(none);
    case top_column::skew: return row.set ? row.set->skew : none;
    default: return time_of(column, row);
  }
}

bool is_text(top_column column) { return column == top_column::engine || column == top_column::late_by; }

}  // namespace

const column_form& form_of(top_column column) {
  static constexpr column_form forms[] = {
      {"PID", 3, false},       {"ENGINE", 6, true},    {"SCHED/s", 7, false},  {"FIRED/s", 7, false},
      {"PEND", 5, false},      {"P50", 5, false},      {"P99", 5, false},      {"MAX", 5, false},
      {"LATE BY", 8, true},    {"CPU%", 4, false},     {"MISS/s", 6, false},   {"CANCEL/s", 8, false},
      {"RESTART/s", 9, false}, {"DRAIN", 5, false},    {"WAIT", 5, false},     {"WORKER", 6, false},
      {"DISPATCH", 8, false},  {"CALLBACK", 8, false}, {"BACKLOG", 7, false},  {"QUEUED", 6, false},
      {"MARGIN", 6, false},    {"SKEW", 5, false},     {"SHARD P99", 9, false}};
  static_assert(std::size(forms) == static_cast<std::size_t>(top_column::count_));
  return forms[static_cast<std::size_t>(column)];
}

std::string text_of(top_column column, const top_row& row) {
  if (rate_of(column)) return compact_count(number_of(column, row));
  switch (column) {
    case top_column::process: return std::to_string(row.identity.process);
    case top_column::engine: return row.identity.name;
    case top_column::pending:
    case top_column::backlog: return compact_count(number_of(column, row));
    case top_column::queued: return row.queued ? compact_count(number_of(column, row)) : "-";
    case top_column::cpu:
      if (!row.cpu) return "-";
      return fmt::format("{:.{}f}", *row.cpu * 100, *row.cpu < 0.9995 ? 1 : 0);
    case top_column::skew: return row.set ? fmt::format("{:.2f}", row.set->skew) : "-";
    case top_column::late_by:
      if (const auto by = main_cause(row.times)) return name_of(*by);
      return "-";
    default: break;
  }
  const double time = time_of(column, row);
  return time == none ? "-" : compact_time(time);
}

bool stands_above(top_column column, const top_row& a, const top_row& b) {
  const auto identity = [](const top_row& row) { return std::tie(row.identity.process, row.identity.path); };
  if (is_text(column)) {
    const std::string of_a = text_of(column, a), of_b = text_of(column, b);
    return of_a != of_b ? of_a < of_b : identity(a) < identity(b);
  }
  const double of_a = number_of(column, a), of_b = number_of(column, b);
  if (column == top_column::process || of_a == of_b) return identity(a) < identity(b);
  return of_a > of_b;
}

}  // namespace detent::tool
