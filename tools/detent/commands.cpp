// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

#include "doctor.hpp"
#include "report_file.hpp"
#include "results.hpp"

namespace detent::tool {
namespace {

std::optional<report_file> report_of(const output_options& output) {
  if (output.report.empty()) return std::nullopt;
  return report_file(output.report);
}

// The answer of a kind of work that has a table, once its report is in place.
template <class Command, class Outcome>
std::string answer(const Command& command, const Outcome& outcome, const text_table& table,
                   const std::optional<report_file>& report) {
  if (report) report->write(page_of(command, outcome).html());
  if (command.output.json) return json_of(command, outcome);
  std::string text = settings_of(command) + "\n" + table.text();
  if (report) text += fmt::format("report: {}\n", report->path());
  return text;
}

// A replay of a trace with holes is no error, but nobody should take it for the whole.
void tell_loss(const replay_command& replay, const replay_counts& counts) {
  if (counts.dropped == 0) return;
  fmt::print(stderr, "detent: {}: {} operations are missing: the recording dropped them\n", replay.trace,
             counts.dropped);
}

std::string perform_virtual(const replay_command& replay) {
  const auto report = report_of(replay.output);
  const virtual_outcome outcome = replay_virtual(
      {.trace = replay.trace, .to_end = replay.to_end, .wheel = wheel_named("--wheel", replay.engine.wheel)});
  tell_loss(replay, outcome.counts);
  if (report) report->write(page_of(replay, outcome).html());
  return replay.output.json ? json_of(replay, outcome) : virtual_line(outcome);
}

std::string perform_one(const replay_command& replay) {
  if (replay.virtual_time) return perform_virtual(replay);
  const auto report = report_of(replay.output);
  const live_outcome outcome = replay_live({.trace = replay.trace,
                                            .to_end = replay.to_end,
                                            .speed = replay.speed,
                                            .wheel = wheel_named("--wheel", replay.engine.wheel),
                                            .wait = wait_named("--wait", replay.engine.wait)});
  tell_loss(replay, outcome.counts);
  return answer(replay, outcome, table_of(outcome), report);
}

std::string perform_one(const run_command& run) {
  const auto report = report_of(run.output);
  load_options load = run.load;
  load.wheel = wheel_named("--wheel", run.engine.wheel);
  load.wait = wait_named("--wait", run.engine.wait);
  const load_outcome outcome = run_load(load);
  return answer(run, outcome, table_of(run, outcome), report);
}

std::string perform_one(const doctor_command& doctor) {
  const auto findings = examine(host_files(), doctor.length);
  return doctor.json ? doctor_json(findings) : doctor_text(findings);
}

std::string perform_one(const print_command& print) { return print.text; }

}  // namespace

std::string perform(const any_command& command) {
  return std::visit([](const auto& each) { return perform_one(each); }, command);
}

}  // namespace detent::tool
