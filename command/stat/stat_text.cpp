// SPDX-License-Identifier: MIT
#include "stat/stat_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "counters/counters_set.hpp"
#include "text/column_table.hpp"
#include "text/text_table.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr auto left = column_table::side::left, right = column_table::side::right;

std::string span(std::int64_t ns) { return time_text(static_cast<double>(ns)); }
std::string span(duration d) { return span(d.count()); }

// An empty histogram is shown as a dash.
std::string span_or_dash(const counters_histogram& from, duration d) { return from.count() == 0 ? "-" : span(d); }

std::string wait_of(const counters_snapshot& engine) {
  const engine_identity& who = engine.identity;
  if (who.wait != std::string_view("hybrid")) return fmt::format("{} wait", who.wait);
  return fmt::format("hybrid wait (spins for {}, at most {})", span(engine.gauges[gauge::margin]), span(who.max_spin));
}

std::string driver_of(const engine_identity& who) {
  if (who.drive == std::string_view("caller")) return "driven by its caller";
  return who.worker_thread == 0 ? "worker not yet there" : fmt::format("worker thread {}", who.worker_thread);
}

std::string limit_of(const counters_snapshot& engine) {
  if (engine.identity.capacity == 0) return "none";
  const std::string limit = count_text(engine.identity.capacity) + " pending";
  const std::uint64_t refused = engine.totals[counter::over_capacity];
  return refused == 0 ? limit : fmt::format("{}, {} refused", limit, count_text(refused));
}

std::string identity_of(const counters_snapshot& engine) {
  const engine_identity& who = engine.identity;
  text_table table;
  table.add("engine", who.name);
  if (!who.instance.empty()) table.add("instance", who.instance);
  if (engine.set) table.add("set", text_of(*engine.set));
  table.add("process", fmt::format("{}, {}, {}", who.process, driver_of(who), engine.state()));
  if (!engine.gone.empty()) table.add("gone", engine.gone + "; these are its last figures");
  table.add("file", who.path);
  table.add("made of",
            fmt::format("{} wheel, {}, {} clock, tick {}", who.wheel, wait_of(engine), who.clock, span(who.tick)));
  if (*who.clock_reason != '\0') table.add("steady clock", who.clock_reason);
  if (const auto times = engine.gauges[gauge::clock_distrusted]; times != 0) {
    table.add("TSC", fmt::format("has disagreed with the steady clock {} times", times));
  }
  table.add("limit", limit_of(engine));
  table.add("age", span(engine.age()));
  if (const auto hidden = engine.gauges[gauge::hidden_threads]; hidden != 0) {
    table.add("not counted", fmt::format("the work of {} threads, for which the file has no room", hidden));
  }
  if (!engine.stall.empty()) table.add("waits", engine.stall);
  if (!engine.last_error.empty()) {
    // Uses doubles, because in a damaged file the difference may not fit into std::int64_t.
    const double ago = static_cast<double>(engine.read_at) - static_cast<double>(engine.last_error_at);
    table.add("last error", fmt::format("{} (a callback, {} ago)", engine.last_error, time_text(std::max(ago, 0.0))));
  }
  return table.text();
}

std::string counts_of(const counters_snapshot& engine) {
  const auto total = [&engine](counter key) { return count_text(engine.totals[key]); };
  const auto level = [&engine](gauge key) { return count_text(static_cast<std::uint64_t>(engine.gauges[key])); };
  column_table table({left, right, left, right, left, right});
  table.add({"scheduled", total(counter::scheduled), "runs", total(counter::fired), "backlog", level(gauge::backlog)});
  table.add({"expired", total(counter::expired), "restarted", total(counter::restarted), "queue passes",
             total(counter::drains)});
  table.add({"cancelled", count_text(engine.cancelled()), "failed", total(counter::failed), "taken up",
             total(counter::drained)});
  table.add({"given back", total(counter::returned), "slow", total(counter::slow), "wake-ups asked for",
             total(counter::rings)});
  table.add(
      {"dropped", total(counter::dropped), "refused", total(counter::refused), "wake-ups", level(gauge::wakeups)});
  table.add({"pending", count_text(engine.pending()), "to retry", level(gauge::retries), "not recorded",
             level(gauge::record_dropped)});
  table.add({"queued", count_text(engine.queued()), "missed", total(counter::missed)});
  return table.text();
}

// Returns the share of all lateness that a cause has caused.
std::string share_of(cause key, const histograms_by_cause& histograms) {
  const auto whole = static_cast<double>(histograms[cause::lateness].sum().count());
  if (key == cause::lateness || key == cause::callback || whole <= 0) return "";
  return percent_text(static_cast<double>(histograms[key].sum().count()) / whole);
}

std::string lateness_of(const histograms_by_cause& histograms) {
  column_table table({left, right, right, right, right, right, right, right, right});
  table.add({"", "count", "p50", "p90", "p99", "p99.9", "max", "mean", "share"});
  for_each_key<cause>([&](cause key) {
    const counters_histogram& h = histograms[key];
    const bool part = key != cause::lateness && key != cause::callback;
    std::vector<std::string> row = {std::string(part ? "  " : "") + name_of(key), count_text(h.count())};
    for (const double p : {50.0, 90.0, 99.0, 99.9}) row.push_back(span_or_dash(h, h.percentile(p)));
    row.push_back(span_or_dash(h, (h.max)()));
    row.push_back(span_or_dash(h, h.mean()));
    row.push_back(share_of(key, histograms));
    table.add(std::move(row));
  });
  return table.text();
}

std::string labels_of(const std::vector<label_snapshot>& labels) {
  column_table table({left, right, right, right, right, right, right, right, right, right, right, right});
  table.add({"label", "pending", "scheduled", "fired", "missed", "p50", "p99", "drain", "wait", "worker", "dispatch",
             "callback"});
  for (const label_snapshot& label : labels) {
    std::vector<std::string> row = {
        label.name, count_text(label.pending()), count_text(label.counts[label_counter::scheduled]),
        count_text(label.counts[label_counter::fired]), count_text(label.counts[label_counter::missed])};
    const counters_histogram& whole = label.histograms[cause::lateness];
    row.push_back(span_or_dash(whole, whole.percentile(50)));
    for_each_key<cause>([&](cause key) {
      const counters_histogram& h = label.histograms[key];
      row.push_back(span_or_dash(h, h.percentile(99)));
    });
    table.add(std::move(row));
  }
  return table.text() + "  (p50 and p99 of the lateness; drain to callback: the p99 of each)\n";
}

}  // namespace

std::string stat_text(const std::vector<counters_snapshot>& engines) {
  if (engines.empty())
    return "No engine on this host shows its counters in /dev/shm (engine_options::counters_file).\n";
  std::string out;
  for (const counters_snapshot& engine : engines) {
    out += (out.empty() ? "" : "\n") + identity_of(engine) + "\n" + counts_of(engine) + "\n" +
           lateness_of(engine.histograms);
    if (!engine.labels.empty()) out += "\n" + labels_of(engine.labels);
  }
  return out;
}

}  // namespace detent::tool
