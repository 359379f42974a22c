// SPDX-License-Identifier: MIT
// The report page of each kind of work.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <filesystem>

#include "cli/command_text.hpp"
#include "cli/results.hpp"
#include "host/machine_facts.hpp"
#include "lateness/lateness_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string date_text(std::time_t when) { return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(when)); }

text_table virtual_engine_table(const engine_choice& engine) {
  text_table table;
  table.add("wheel", engine.wheel);
  table.add("clock", "virtual");
  table.add("driven by", "the replay itself");
  table.add("tick", time_text(static_cast<double>(engine_options().tick.count())));
  table.add("callbacks", "inline");
  return table;
}

// `load`: the options that `run` has and `replay` has not.
text_table engine_table(const engine_choice& engine, const engine_metrics& metrics, const load_options& load = {}) {
  text_table table;
  table.add("wheel", engine.wheel);
  table.add("clock", metrics.clock.name);
  table.add(
      "driven by",
      fmt::format("a worker of its own, {}, {}", load.cpu ? fmt::format("pinned to CPU {}", *load.cpu) : "not pinned",
                  load.priority ? fmt::format("real-time priority {}", *load.priority) : "default priority"));
  const bool spins = engine.wait == "hybrid";
  const auto longest = static_cast<double>(wait_named("--wait", engine.wait).max_spin.count());
  table.add("wait", spins ? fmt::format("hybrid, spins at most {}", time_text(longest)) : engine.wait);
  table.add("tick", time_text(static_cast<double>(load.tick.count())));
  table.add("callbacks", load.executor == 0 ? "inline on the worker"
                                            : fmt::format("on a pool of {} {}", load.executor,
                                                          load.executor == 1 ? "thread" : "threads"));
  return table;
}

template <class Command, class Outcome>
report_page begun_page(const Command& command, const Outcome& outcome, const std::string& title) {
  report_page page{.title = title, .settings = settings_of(command)};
  page.machine = machine_facts();
  page.command = command_text(command);
  page.began = date_text(outcome.began);
  page.pending = &outcome.pending;
  return page;
}

void add_alerts(report_page& page, const replay_counts& counts) {
  if (counts.dropped == 0) return;
  page.alerts.push_back(
      fmt::format("{} operations are missing from this trace: its recording could not keep up and dropped them. Timers "
                  "may be missing, or stand here that were cancelled in truth.",
                  count_text(counts.dropped)));
}

template <class Outcome>
void add_real_time(report_page& page, const engine_choice& engine, const Outcome& outcome,
                   const load_options& load = {}) {
  add_timing_headline(page.headline, outcome.lateness, outcome.fired_early, outcome.cpu);
  page.engine = engine_table(engine, outcome.metrics, load);
  page.lateness = &outcome.lateness;
  page.over_time = &outcome.over_time;
  page.floor = &outcome.floor;
  page.causes = lateness_causes::of(outcome.metrics);
  const duration span(static_cast<std::int64_t>(outcome.cpu.seconds * 1e9));
  late_figures figures = page.causes->figures(outcome.metrics, span, wait_named("--wait", engine.wait).mode);
  figures.tick = static_cast<double>(load.tick.count());
  figures.hands_over = load.executor != 0;
  page.why = diagnose(figures, outcome.evidence);
  page.findings = outcome.findings;
  if (outcome.fired_early != 0) page.alerts.push_back("Timers fired early. That is a fault of the engine.");
}

}  // namespace

report_page page_of(const replay_command& command, const virtual_outcome& outcome) {
  report_page page = begun_page(command, outcome, fmt::format("{}: virtual replay", file_name(command.trace)));
  const double operations_a_second = static_cast<double>(outcome.counts.rows) / outcome.wall_seconds;
  page.headline.add("operations", count_text(outcome.counts.rows));
  page.headline.add("fired", count_text(outcome.counts.fired));
  page.headline.add("most pending at once", count_text(outcome.pending.highest()));
  page.headline.add("operations a second", count_text(static_cast<std::uint64_t>(operations_a_second)));
  page.summary = table_of(outcome);
  page.engine = virtual_engine_table(command.engine);
  add_alerts(page, outcome.counts);
  return page;
}

report_page page_of(const replay_command& command, const live_outcome& outcome) {
  report_page page = begun_page(command, outcome, fmt::format("{}: replay in real time", file_name(command.trace)));
  add_real_time(page, command.engine, outcome);
  page.summary = table_of(outcome);
  add_alerts(page, outcome.counts);
  return page;
}

report_page page_of(const run_command& command, const load_outcome& outcome) {
  report_page page =
      begun_page(command, outcome, fmt::format("synthetic load of {} timers", count_text(command.load.timers)));
  add_real_time(page, command.engine, outcome, command.load);
  page.summary = table_of(command, outcome);
  return page;
}

}  // namespace detent::tool
