// SPDX-License-Identifier: MIT
#include "doctor/engine_lateness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "counters/counters_file.hpp"
#include "counters/counters_search.hpp"
#include "lateness/counted_lateness.hpp"
#include "text/input_error.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr double late_by_much = 1'000'000;  // a bound of the p99, in nanoseconds
constexpr std::int64_t stalled_after = 1'000'000'000;

std::optional<long long> worker_thread(const counters_snapshot& engine) {
  const std::uint32_t thread = engine.identity.worker_thread;
  return thread == 0 ? std::nullopt : std::optional<long long>(thread);
}

finding stalled(finding out, const std::string& name, bool has_worker, std::int64_t overdue,
                const driver_evidence& evidence) {
  const lateness_diagnosis why = diagnose_overdue(has_worker, evidence);
  out.judged = severity::bad;
  out.seen = name + ": " + overdue_text(static_cast<double>(overdue), {});
  out.meaning = text_of(why);
  out.cure = overdue_cure(why);
  return out;
}

}  // namespace

finding judged_lateness(const counters_snapshot& first, const counters_snapshot& last, std::int64_t rested,
                        const driver_evidence& evidence) {
  const counters_snapshot change = since(last, first);
  const counters_histogram& lateness = change.histograms[cause::lateness];
  finding out{"lateness of the timers", severity::fine, "", last.identity.path};
  const std::string name = last.identity.name.empty() ? "an engine" : last.identity.name;
  const auto time = [](duration ns) { return time_text(static_cast<double>(ns.count())); };
  // An engine that is far behind fires no timer during a long callback. It is not stalled for that.
  const bool rests = rested >= std::min(stalled_after, last.read_at - first.read_at);
  if (const std::int64_t overdue = overdue_of(last); rests && overdue >= stalled_after)
    return stalled(std::move(out), name, last.identity.worker_thread != 0, overdue, evidence);
  if (lateness.count() == 0) {
    out.seen = name + ": none fired";
    return out;
  }
  out.seen = fmt::format("{}: p99 {}, the latest {}", name, time(lateness.percentile(99)), time((lateness.max)()));
  const late_figures figures =
      late_figures_of(change, static_cast<double>(last.pending()), static_cast<double>(last.read_at - first.read_at));
  std::array<double, 4> sums = {};
  std::transform(figures.parts.begin(), figures.parts.end(), sums.begin(), [](auto& each) { return each.sum; });
  const auto main = main_part(sums);
  const auto p99 = static_cast<double>(lateness.percentile(99).count());
  const std::uint64_t missed = change.totals[counter::missed];
  if (missed != 0) out.seen += fmt::format(", {} {} missed", count_text(missed), missed == 1 ? "period" : "periods");
  if (!main || !is_late(p99, static_cast<double>(missed))) return out;
  constexpr const char* names[] = {"drain", "wait", "worker", "dispatch"};
  const lateness_diagnosis why = diagnose(figures, evidence);
  out.judged = p99 >= late_by_much || missed != 0 ? severity::bad : severity::warning;
  out.seen +=
      fmt::format(", {} by {}", percent_text(sums[*main] / (sums[0] + sums[1] + sums[2] + sums[3])), names[*main]);
  out.meaning = text_of(why);
  out.cure = cure_of(why);
  return out;
}

engine_lateness::engine_lateness(long long process) {
  machine_.look(machine_clocks::read(host_), 0, host_);
  std::vector<std::string> paths;
  try {
    paths = counters_files_of(process, "/dev/shm");
  } catch (const input_error&) {
    return;  // its files may not be read, so none of its engines can be shown
  }
  for (std::string& path : paths) {
    try {
      counters_snapshot snapshot = counters_file(path, path_origin::found).read();
      require_owner(snapshot, host_);
      if (snapshot.ended || snapshot.identity.process != process) continue;
      driver_watch driver(process, worker_thread(snapshot));
      engines_.push_back({std::move(path), std::move(driver), snapshot, snapshot, {}});
    } catch (const input_error&) {
      continue;  // not an engine's file, or the engine has ended
    }
    look_at(engines_.back());
    engines_.back().before = engines_.back().driver.evidence();
  }
}

void engine_lateness::look(std::int64_t expected) {
  machine_.look(machine_clocks::read(host_), expected, host_);
  for (engine& each : engines_) look_at(each);
}

void engine_lateness::look_at(engine& each) {
  try {
    const counters_snapshot before = std::exchange(each.last, counters_file(each.path, path_origin::found).read());
    const bool fired = each.last.totals[counter::fired] != before.totals[counter::fired];
    each.rested = fired ? 0 : each.rested + each.last.read_at - before.read_at;
  } catch (const input_error&) {
    return;  // it has ended, so the figures of the last look stay
  }
  each.driver.look(host_, machine_, overdue_of(each.last), hands_over(each.last));
}

std::vector<finding> engine_lateness::findings() const {
  std::vector<finding> out;
  out.reserve(engines_.size());
  for (const engine& each : engines_) {
    const driver_evidence evidence = since(each.driver.evidence(), each.before);
    out.push_back(judged_lateness(each.first, each.last, each.rested, evidence));
  }
  return out;
}

}  // namespace detent::tool
