// SPDX-License-Identifier: MIT
#include "cli/commands.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "cli/replay_compare.hpp"
#include "cli/results.hpp"
#include "doctor/doctor.hpp"
#include "doctor/doctor_text.hpp"
#include "doctor/worker_search.hpp"
#include "report/report_file.hpp"
#include "stat/stat_exporter.hpp"
#include "stat/stat_tidy.hpp"
#include "text/complaint.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

std::optional<report_file> report_of(const output_options& output) {
  if (output.report.empty()) return std::nullopt;
  return report_file(output.report);
}

// Makes the answer of a kind of work that has a table, once its report is written.
template <class Command, class Outcome>
std::string answer(const Command& command, const Outcome& outcome, const text_table& table,
                   const std::optional<report_file>& report) {
  if (report) report->write(page_of(command, outcome).html());
  if (command.output.json) return json_of(command, outcome);
  std::string text = settings_of(command) + "\n" + table.text();
  if (report) text += fmt::format("report: {}\n", printable(report->path()));
  return text;
}

// A replay of a trace with gaps is no error, but its user must know of the gaps.
void tell_loss(const replay_command& replay, const replay_counts& counts) {
  if (counts.dropped == 0) return;
  complain(fmt::format("{}: {} operations are missing: the recording dropped them", printable(replay.trace),
                       counts.dropped));
}

std::string perform_virtual(const replay_command& replay) {
  const auto report = report_of(replay.output);
  const virtual_outcome outcome = replay_virtual(
      {.trace = replay.trace, .to_end = replay.to_end, .wheel = wheel_named("--wheel", replay.engine.wheel)});
  tell_loss(replay, outcome.counts);
  if (report) report->write(page_of(replay, outcome).html());
  return replay.output.json ? json_of(replay, outcome) : virtual_line(outcome);
}

command_result perform_compare(const replay_command& replay) {
  const compare_options options = {.trace = replay.trace, .speed = replay.speed, .longest = replay.longest};
  const compare_outcome outcome = compare_replays(options);
  command_result all(replay.output.json ? compare_json(options, outcome) : compare_text(options, outcome));
  for (const compare_run& run : outcome.runs) {
    if (run.live.fired_early == 0) continue;
    all.complaints.push_back(
        fmt::format("{} with {}: {} timers fired early", run.wheel, run.wait, run.live.fired_early));
    all.status = 1;
  }
  return all;
}

command_result perform_one(const replay_command& replay) {
  if (replay.compare) return perform_compare(replay);
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
  run_command done = run;
  done.load.length = outcome.length;
  return answer(done, outcome, table_of(done, outcome), report);
}

// Throws input_error unless the directory looks like a copy of /proc and /sys.
host_files copy_in(const std::string& directory) {
  std::error_code trouble;
  for (const char* part : {"/proc", "/sys"}) {
    if (std::filesystem::is_directory(directory + part, trouble)) return host_files(directory);
  }
  throw input_error(fmt::format("{}: has neither proc nor sys in it", in_quotes(directory)));
}

command_result perform_one(const doctor_command& doctor) {
  const host_files host = doctor.root.empty() ? host_files() : copy_in(doctor.root);
  worker_facts worker = doctor.worker;
  if (worker.process) {
    worker = worker_of(host, *worker.process, worker.thread);
    if (doctor.worker.wait) worker.wait = doctor.worker.wait;
  }
  std::vector<finding> findings;
  if (doctor.root.empty()) {
    findings = examine(worker, doctor.length);
  } else {
    host_watch watch(worker, host);
    if (!doctor.later.empty()) watch.look(copy_in(doctor.later));
    findings = watch.findings();
  }
  command_result all(doctor.json ? doctor_json(findings) : doctor_text(findings));
  all.status = any_bad(findings) ? 1 : 0;
  return all;
}

command_result perform_one(const stat_command& stat) {
  if (stat.intervals.seconds != 0) {
    command_result all("");
    all.status = print_intervals(stat.targets, stat.intervals) ? 0 : 1;
    return all;
  }
  if (stat.listen) {
    export_stat(stat.targets, *stat.listen);
    return std::string();
  }
  stat_result result =
      stat.tidy ? tidy_stat() : take_stat(stat.targets, stat.form, "/dev/shm", stat.intervals.each_shard);
  command_result all(std::move(result.text));
  all.complaints = std::move(result.complaints);
  all.status = result.failed ? 1 : 0;
  return all;
}

command_result perform_one(const pending_command& pending) {
  stat_reading read = read_stat(pending.targets);
  const bool nothing = read.failed && read.engines.empty();
  command_result all(nothing        ? ""
                     : pending.json ? pending_json(read.engines, pending.by)
                                    : pending_text(read.engines, pending.by));
  all.complaints = std::move(read.complaints);
  all.status = read.failed ? 1 : 0;
  return all;
}

std::string perform_one(const top_command& top) {
  run_top(top.options);
  return "";
}

std::string perform_one(const console_command& console) {
  run_console(console.options);
  return "";
}

command_result perform_one(const cron_command& cron) {
  cron_result result = take_cron(cron.options);
  command_result all(std::move(result.text));
  all.complaints = std::move(result.complaints);
  all.status = result.failed ? 1 : 0;
  return all;
}

command_result perform_one(const durable_command& durable) {
  durable_result result = take_durable(durable.options);
  command_result all(std::move(result.text));
  all.complaints = std::move(result.complaints);
  all.status = result.failed ? 1 : 0;
  return all;
}

std::string perform_one(const print_command& print) { return print.text; }

}  // namespace

command_result perform(const any_command& command) {
  return std::visit([](const auto& each) -> command_result { return perform_one(each); }, command);
}

}  // namespace detent::tool
