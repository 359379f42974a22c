// SPDX-License-Identifier: MIT
#include "top/top_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "lateness/counted_lateness.hpp"

namespace detent::tool {
namespace {

constexpr cause parts[] = {cause::drain, cause::wait, cause::worker, cause::dispatch};

figures_by_cause figures_of(const histograms_by_cause& histograms) {
  figures_by_cause figures;
  for_each_key<cause>([&](cause key) { figures[key] = figures_of(histograms[key]); });
  return figures;
}

top_label label_of(const label_snapshot& now, const label_snapshot& change, double seconds) {
  const auto rate = [&](label_counter key) { return static_cast<double>(change.counts[key]) / seconds; };
  return {.name = now.name,
          .scheduled = rate(label_counter::scheduled),
          .fired = rate(label_counter::fired),
          .missed = rate(label_counter::missed),
          .pending = now.pending(),
          .times = figures_of(change.histograms)};
}

void add_labels(top_row& row, const counters_snapshot& now, const counters_snapshot& change, double seconds) {
  for (std::size_t i = 0; i < now.labels.size(); ++i) {
    row.labels.push_back(label_of(now.labels[i], change.labels[i], seconds));
  }
  std::sort(row.labels.begin(), row.labels.end(), [](const top_label& a, const top_label& b) {
    const double of_a = a.times[cause::lateness].p99, of_b = b.times[cause::lateness].p99;
    return of_a != of_b ? of_a > of_b : a.name < b.name;
  });
}

}  // namespace

time_figures figures_of(const counters_histogram& histogram) {
  const auto ns = [](duration time) { return static_cast<double>(time.count()); };
  return {.count = histogram.count(),
          .p50 = ns(histogram.percentile(50)),
          .p90 = ns(histogram.percentile(90)),
          .p99 = ns(histogram.percentile(99)),
          .p999 = ns(histogram.percentile(99.9)),
          .most = ns((histogram.max)()),
          .sum = ns(histogram.sum())};
}

std::optional<cause> main_cause(const figures_by_cause& times) {
  std::array<double, std::size(parts)> sums = {};
  std::transform(std::begin(parts), std::end(parts), sums.begin(), [&times](cause each) { return times[each].sum; });
  const auto place = main_part(sums);
  return place ? std::optional(parts[*place]) : std::nullopt;
}

double share_of(const figures_by_cause& times, cause part) {
  double all = 0;
  for (const cause each : parts) all += times[each].sum;
  return all > 0 ? times[part].sum / all : 0;
}

top_row row_of(const engine_reading& later, const engine_reading* earlier) {
  const counters_snapshot& now = later.snapshot;
  const counters_snapshot change = earlier ? since(now, earlier->snapshot) : now;
  const std::int64_t length = earlier ? now.read_at - earlier->snapshot.read_at : now.age();
  // Avoids a division by zero for two readings of one instant, or an engine that was just made.
  const double span = std::max(static_cast<double>(length), 1e6);
  const double seconds = span / 1e9;

  top_row row;
  row.identity = now.identity;
  row.age = static_cast<double>(now.age());
  for_each_key<counter>([&](counter key) { row.rates[key] = static_cast<double>(change.totals[key]) / seconds; });
  row.rates[counter::cancelled] = static_cast<double>(change.cancelled()) / seconds;
  row.wakeups = static_cast<double>(change.gauges[gauge::wakeups]) / seconds;
  row.pending = now.pending();
  row.backlog = now.gauges[gauge::backlog];
  if (now.totals[counter::handed_over] != 0) row.queued = now.queued();
  if (std::string_view(now.identity.wait) == "hybrid" && now.identity.worker_thread != 0) {
    row.margin = static_cast<double>(now.gauges[gauge::margin]);
  }
  if (later.worker_cpu && (!earlier || earlier->worker_cpu)) {
    const std::int64_t before = earlier ? *earlier->worker_cpu : 0;
    // A single thread cannot exceed one CPU; anything above comes from the coarse ticks of the kernel's clock.
    row.cpu = std::clamp(static_cast<double>(*later.worker_cpu - before) / span, 0.0, 1.0);
  }
  row.times = figures_of(change.histograms);
  row.why = diagnose(late_figures_of(change, static_cast<double>(row.pending), span),
                     earlier ? since(later.driver, earlier->driver) : later.driver);
  constexpr double stalled_after = 1e9;
  const auto overdue = static_cast<double>(overdue_of(now));
  if (now.is_live() && overdue >= stalled_after) {
    if (change.totals[counter::fired] == 0) row.overdue = overdue;
    row.why_overdue = diagnose_overdue(now.identity.worker_thread != 0, later.driver);
  }
  row.refused = now.totals[counter::refused];
  row.dropped = now.totals[counter::dropped];
  row.failed = now.totals[counter::failed];
  row.slow = now.totals[counter::slow];
  row.missed = now.totals[counter::missed];
  row.over_capacity = now.totals[counter::over_capacity];
  row.lost_records = static_cast<std::uint64_t>(std::max<std::int64_t>(now.gauges[gauge::record_dropped], 0));
  row.clock_distrusted = static_cast<std::uint64_t>(std::max<std::int64_t>(now.gauges[gauge::clock_distrusted], 0));
  row.last_error = now.last_error;
  row.stall = now.stall;
  // As integers the difference might overflow, because a damaged file may give any time.
  row.last_error_age = std::max(static_cast<double>(now.read_at) - static_cast<double>(now.last_error_at), 0.0);
  add_labels(row, now, change, seconds);
  row.labels_left_out = now.labels_left_out;
  return row;
}

namespace {

engine_reading merged(const std::vector<const engine_reading*>& shards) {
  std::vector<const counters_snapshot*> snapshots;
  snapshots.reserve(shards.size());
  for (const engine_reading* each : shards) snapshots.push_back(&each->snapshot);
  return {.snapshot = merged(snapshots), .worker_cpu = std::nullopt};
}

top_row row_between(const engine_reading& later, const engine_reading& earlier) { return row_of(later, &earlier); }

void add_rates(top_row& row, const top_row& shard) {
  for_each_key<counter>([&](counter key) { row.rates[key] += shard.rates[key]; });
  row.wakeups += shard.wakeups;
  for (top_label& label : row.labels) {
    const auto is_same = [&label](const top_label& each) { return each.name == label.name; };
    const auto found = std::find_if(shard.labels.begin(), shard.labels.end(), is_same);
    if (found == shard.labels.end()) continue;
    label.scheduled += found->scheduled;
    label.fired += found->fired;
    label.missed += found->missed;
  }
}

}  // namespace

top_row row_of_set(const std::vector<const engine_reading*>& later, const std::vector<const engine_reading*>& earlier) {
  const engine_reading now = merged(later);
  top_row row = earlier.empty() ? row_of(now, nullptr) : row_between(now, merged(earlier));
  // Each shard's rates cover its own time, because shards may be first seen at different times.
  row.rates = {};
  row.wakeups = 0;
  for (top_label& label : row.labels) label.scheduled = label.fired = label.missed = 0;
  std::vector<shard_figures> shards;
  double most_late = 0;
  for (std::size_t i = 0; i < later.size(); ++i) {
    const top_row shard = row_of(*later[i], earlier.empty() ? nullptr : earlier[i]);
    add_rates(row, shard);
    shards.push_back(
        {.shard = shard.identity.shard, .fired = shard.rates[counter::fired], .p99 = shard.times[cause::lateness].p99});
    // A set shows the diagnosis of its latest shard, because that shard's driver has the evidence.
    if (shard.times[cause::lateness].sum > most_late) row.why = shard.why;
    most_late = std::max(most_late, shard.times[cause::lateness].sum);
    if (shard.cpu) row.cpu = std::max(row.cpu.value_or(0), *shard.cpu);
  }
  row.set = figures_of_set(row.identity, shards);
  return row;
}

namespace {

// The share of a CPU that the hybrid wait may take to spin before deadlines. A worker that comes late does not spin.
double spun(const top_row& row) {
  constexpr double in_time = 10'000;  // nanoseconds
  if (!row.margin || row.times[cause::lateness].p50 > in_time) return 0;
  return row.rates[counter::fired] * *row.margin / 1e9;
}

}  // namespace

std::string advice_of(const top_row& row) {
  constexpr double busy = 0.6;  // of a CPU
  const bool spins = std::string_view(row.identity.wait) == "busy";
  if (!row.cpu || *row.cpu - spun(row) <= busy || spins) return "";
  return fmt::format(
      "the worker is the limit: it uses {:.0f} % of a CPU; an executor or more shards (docs/sharding.md)",
      *row.cpu * 100);
}

bool is_late(const top_row& row) { return is_late(row.times[cause::lateness].p99, row.rates[counter::missed]); }

}  // namespace detent::tool
