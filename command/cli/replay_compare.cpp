// SPDX-License-Identifier: MIT
#include "cli/replay_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cli/results.hpp"
#include "lateness/lateness_text.hpp"
#include "replay/live_trace.hpp"
#include "text/column_table.hpp"
#include "text/json_object.hpp"
#include "text/option_values.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr std::array<double, 4> shown_percentiles = {50, 99, 99.9, 100};

std::string without_end(std::string line) {
  line.pop_back();
  return line;
}

std::vector<std::string> lateness_cells(const lateness_log& samples) {
  std::vector<std::string> cells;
  cells.reserve(shown_percentiles.size());
  for (const double percentile : shown_percentiles)
    cells.push_back(samples.count() == 0 ? "-" : time_text(static_cast<double>(samples.percentile(percentile))));
  return cells;
}

std::string p99_cell(const histogram& samples) {
  return samples.count() == 0 ? "-" : time_text(static_cast<double>(samples.percentile(99).count()));
}

void add_floor(column_table& table, const char* name, const lateness_log& samples) {
  std::vector<std::string> cells = {"no engine", name};
  for (std::string& cell : lateness_cells(samples)) cells.push_back(std::move(cell));
  table.add(std::move(cells));
}

void add_run(column_table& table, const compare_run& run) {
  const live_outcome& live = run.live;
  std::vector<std::string> cells = {run.wheel, run.wait};
  for (std::string& cell : lateness_cells(live.lateness)) cells.push_back(std::move(cell));
  for (std::string cell : {p99_cell(live.metrics.late_wait), p99_cell(live.metrics.late_worker),
                           count_text(live.counts.fired), percent_text(live.cpu.process), percent_text(live.cpu.worker),
                           count_text(live.metrics.wakeups), count_text(live.rows_late)}) {
    cells.push_back(std::move(cell));
  }
  table.add(std::move(cells));
}

json_object p99_json(const histogram& samples) {
  json_object json;
  json.count("samples", samples.count()).count("p99", samples.percentile(99).count());
  return json;
}

json_object run_json(const compare_run& run) {
  const live_outcome& live = run.live;
  json_object json;
  json.text("wheel", run.wheel)
      .text("wait", run.wait)
      .count("operations", live.counts.rows)
      .count("callbacks", live.counts.fired)
      .count("fired_early", live.fired_early)
      .count("rows_late", live.rows_late)
      .object("lateness_ns", lateness_json(live.lateness))
      .object("late_wait_ns", p99_json(live.metrics.late_wait))
      .object("late_worker_ns", p99_json(live.metrics.late_worker))
      .number("cpu_process", live.cpu.process)
      .number("cpu_worker", live.cpu.worker)
      .count("wakeups", live.metrics.wakeups)
      .number("wall_seconds", live.cpu.seconds);
  return json;
}

}  // namespace

void require_same_results(const std::string& trace, const virtual_outcome& hierarchical,
                          const virtual_outcome& hashed) {
  if (virtual_line(hierarchical) == virtual_line(hashed)) return;
  throw std::runtime_error(fmt::format("{}: the wheels differ in virtual time: hierarchical {}, hashed {}",
                                       printable(trace), without_end(virtual_line(hierarchical)),
                                       without_end(virtual_line(hashed))));
}

compare_outcome compare_replays(const compare_options& options) {
  compare_outcome outcome;
  outcome.virtual_check = replay_virtual({.trace = options.trace, .wheel = wheel_kind::hierarchical});
  require_same_results(options.trace, outcome.virtual_check,
                       replay_virtual({.trace = options.trace, .wheel = wheel_kind::hashed}));
  const live_trace trace = load_live_trace(options.trace, options.speed, options.longest);
  for (const char* wheel : compared_wheels) {
    for (const char* wait : compared_waits) {
      compare_run run{.wheel = wheel, .wait = wait, .live = {}};
      run.live = replay_live(
          {.trace = options.trace, .wheel = wheel_named("--wheel", wheel), .wait = wait_named("--wait", wait)}, trace);
      outcome.bare_spin.merge(run.live.floor.spin);
      outcome.bare_sleep.merge(run.live.floor.sleep);
      outcome.runs.push_back(std::move(run));
    }
  }
  return outcome;
}

std::string compare_text(const compare_options& options, const compare_outcome& outcome) {
  using side = column_table::side;
  std::vector<side> sides(13, side::right);
  sides[0] = sides[1] = side::left;
  column_table table(std::move(sides));
  table.add({"", "", "lateness", "", "", "", "p99 of", "p99 of", "", "CPU of", "CPU of", "worker", "rows"});
  table.add({"wheel", "wait", "p50", "p99", "p99.9", "max", "wait", "worker", "callbacks", "process", "worker",
             "wake-ups", "late"});
  for (const compare_run& run : outcome.runs) add_run(table, run);
  add_floor(table, "spin", outcome.bare_spin);
  add_floor(table, "sleep", outcome.bare_sleep);
  return fmt::format("{}, speed {}, {} runs of at most {}\n{}in virtual time, whole trace, both wheels: {}",
                     printable(options.trace), options.speed, outcome.runs.size(),
                     time_text(static_cast<double>(options.longest.count())), table.text(),
                     virtual_line(outcome.virtual_check));
}

std::string compare_json(const compare_options& options, const compare_outcome& outcome) {
  std::vector<json_object> runs;
  for (const compare_run& run : outcome.runs) runs.push_back(run_json(run));
  const replay_counts& counts = outcome.virtual_check.counts;
  json_object whole, json;
  whole.count("operations", counts.rows)
      .count("scheduled", counts.scheduled)
      .count("restarted", counts.restarted)
      .count("cancelled", counts.cancelled)
      .count("late_cancels", counts.late_cancels)
      .count("fired", counts.fired)
      .count("pending_at_last_row", counts.pending_at_last_row)
      .text("order_signature", fmt::format("{:016x}", outcome.virtual_check.order_signature))
      .count("span_ns", counts.span_ns);
  json.text("trace", options.trace)
      .number("speed", options.speed)
      .number("seconds", static_cast<double>(options.longest.count()) / 1e9)
      .list("runs", runs)
      .object("bare_spin_loop_ns", lateness_json(outcome.bare_spin))
      .object("bare_sleep_ns", lateness_json(outcome.bare_sleep))
      .object("virtual", whole);
  return json.str() + "\n";
}

}  // namespace detent::tool
