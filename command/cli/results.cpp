// SPDX-License-Identifier: MIT
#include "cli/results.hpp"

#include <fmt/format.h>

#include "lateness/lateness_text.hpp"
#include "text/json_object.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

void add_counts(text_table& table, const replay_counts& counts) {
  table.add("operations", fmt::format("{} rows, {} of trace time", count_text(counts.rows),
                                      time_text(static_cast<double>(counts.span_ns))));
  table.add("scheduled", count_text(counts.scheduled));
  table.add("restarted", count_text(counts.restarted));
  table.add("cancelled", count_text(counts.cancelled));
  table.add("late cancels", fmt::format("{} (the timer was not pending)", count_text(counts.late_cancels)));
  table.add("fired", count_text(counts.fired));
  table.add("pending at the last row", count_text(counts.pending_at_last_row));
  if (counts.dropped != 0)
    table.add("missing", fmt::format("{} operations, dropped by the recording", count_text(counts.dropped)));
}

json_object counts_json(const replay_command& command, const replay_counts& counts) {
  json_object json;
  json.text("trace", command.trace)
      .boolean("virtual", command.virtual_time)
      .boolean("to_end", command.to_end)
      .text("wheel", command.engine.wheel)
      .count("operations", counts.rows)
      .count("scheduled", counts.scheduled)
      .count("restarted", counts.restarted)
      .count("cancelled", counts.cancelled)
      .count("late_cancels", counts.late_cancels)
      .count("fired", counts.fired)
      .count("pending_at_last_row", counts.pending_at_last_row)
      .count("span_ns", counts.span_ns)
      .count("dropped_by_the_recording", counts.dropped);
  return json;
}

std::string finished(json_object& json, const output_options& output) {
  if (!output.report.empty()) json.text("report", output.report);
  return json.str() + "\n";
}

}  // namespace

std::string virtual_line(const virtual_outcome& outcome) {
  const replay_counts& counts = outcome.counts;
  return fmt::format(
      "scheduled={} restarted={} cancelled={} late_cancels={} fired={} pending_at_last_row={} order_signature={:016x} "
      "span_ns={}\n",
      counts.scheduled, counts.restarted, counts.cancelled, counts.late_cancels, counts.fired,
      counts.pending_at_last_row, outcome.order_signature, counts.span_ns);
}

text_table table_of(const virtual_outcome& outcome) {
  text_table table;
  add_counts(table, outcome.counts);
  table.add("order signature", fmt::format("{:016x}", outcome.order_signature));
  table.add("wall time", time_text(outcome.wall_seconds * 1e9));
  return table;
}

std::string json_of(const replay_command& command, const virtual_outcome& outcome) {
  json_object json = counts_json(command, outcome.counts);
  json.text("order_signature", fmt::format("{:016x}", outcome.order_signature))
      .number("wall_seconds", outcome.wall_seconds);
  return finished(json, command.output);
}

text_table table_of(const live_outcome& outcome) {
  text_table table;
  add_counts(table, outcome.counts);
  table.add("rows applied late", fmt::format("{} by more than {}", count_text(outcome.rows_late),
                                             time_text(static_cast<double>(row_late_after.count()))));
  table.add("lateness of rows", lateness_text(outcome.row_lateness));
  add_timing(table, outcome.lateness, outcome.floor, outcome.fired_early, outcome.cpu);
  return table;
}

std::string json_of(const replay_command& command, const live_outcome& outcome) {
  json_object json = counts_json(command, outcome.counts);
  json.text("wait", command.engine.wait)
      .number("speed", command.speed)
      .count("rows_late", outcome.rows_late)
      .count("row_late_after_ns", row_late_after.count())
      .object("row_lateness_ns", lateness_json(outcome.row_lateness));
  add_timing(json, outcome.lateness, outcome.floor, outcome.fired_early, outcome.cpu);
  return finished(json, command.output);
}

std::string settings_of(const replay_command& command) {
  const std::string end = command.to_end ? "to the end of the last timer" : "to the last row";
  if (command.virtual_time)
    return fmt::format("{}, virtual time, {} wheel, {}", printable(command.trace), command.engine.wheel, end);
  return fmt::format("{}, speed {}, {} wheel, {} wait, {}", printable(command.trace), command.speed,
                     command.engine.wheel, command.engine.wait, end);
}

static std::uint64_t operations_of(const load_counts& counts) {
  return counts.scheduled + counts.restarted + counts.cancelled + counts.late_cancels;
}

text_table table_of(const run_command& command, const load_outcome& outcome) {
  const load_counts& counts = outcome.counts;
  const std::uint64_t operations = operations_of(counts);
  text_table table;
  table.add("operations",
            fmt::format("{}, {} a second", count_text(operations),
                        count_text(static_cast<std::uint64_t>(static_cast<double>(operations) / outcome.cpu.seconds))));
  table.add("scheduled", count_text(counts.scheduled));
  if (counts.restarted != 0) table.add("restarted", count_text(counts.restarted));
  table.add("cancelled", count_text(counts.cancelled));
  table.add("late cancels", fmt::format("{} (the timer was not pending)", count_text(counts.late_cancels)));
  table.add("fired", count_text(outcome.fired));
  table.add("pending at the end", count_text(outcome.pending_at_end));
  add_timing(table, outcome.lateness, outcome.floor, outcome.fired_early, outcome.cpu);
  table.add("seed", std::to_string(command.load.seed));
  return table;
}

std::string json_of(const run_command& command, const load_outcome& outcome) {
  const load_options& load = command.load;
  const load_counts& counts = outcome.counts;
  const std::uint64_t operations = operations_of(counts);
  json_object json;
  json.count("timers", load.timers)
      .count("producers", load.producers)
      .number("cancel", load.cancel)
      .count("delay_min_ns", load.delay.least.count())
      .count("delay_max_ns", load.delay.most.count())
      .number("rate", load.rate)
      .text("wheel", command.engine.wheel)
      .text("wait", command.engine.wait)
      .count("seed", load.seed)
      .count("operations", operations)
      .number("operations_per_second", static_cast<double>(operations) / outcome.cpu.seconds)
      .count("scheduled", counts.scheduled)
      .count("restarted", counts.restarted)
      .count("cancelled", counts.cancelled)
      .count("late_cancels", counts.late_cancels)
      .count("fired", outcome.fired)
      .count("pending_at_end", outcome.pending_at_end);
  add_timing(json, outcome.lateness, outcome.floor, outcome.fired_early, outcome.cpu);
  return finished(json, command.output);
}

std::string settings_of(const run_command& command) {
  const load_options& load = command.load;
  const auto span = [](duration d) { return time_text(static_cast<double>(d.count())); };
  std::string said = fmt::format("{} timers, {} producer{}, delays {} to {}, {} cancelled, {}, {} wheel, {} wait",
                                 count_text(load.timers), load.producers, load.producers == 1 ? "" : "s",
                                 span(load.delay.least), span(load.delay.most), percent_text(load.cancel),
                                 span(load.length), command.engine.wheel, command.engine.wait);
  if (load.restart != 0) said += fmt::format(", {} restarted", percent_text(load.restart));
  if (load.tick != duration(1)) said += fmt::format(", tick {}", span(load.tick));
  if (load.cpu) said += fmt::format(", CPU {}", *load.cpu);
  if (load.priority) said += fmt::format(", priority {}", *load.priority);
  if (load.executor != 0) said += fmt::format(", pool of {}", load.executor);
  return said;
}

}  // namespace detent::tool
