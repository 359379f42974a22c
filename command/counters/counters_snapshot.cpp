// SPDX-License-Identifier: MIT
#include "counters/counters_snapshot.hpp"

#include <algorithm>

namespace detent::tool {
namespace {

std::uint64_t less(std::uint64_t later, std::uint64_t earlier) { return later > earlier ? later - earlier : 0; }

std::int64_t less(std::int64_t later, std::int64_t earlier) {
  return later > earlier
             ? static_cast<std::int64_t>(static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier))
             : 0;
}

template <class Counts>
void subtract(Counts& later, const Counts& earlier, auto key) {
  later[key] = less(later[key], earlier[key]);
}

void subtract(histograms_by_cause& later, const histograms_by_cause& earlier) {
  for_each_key<cause>([&](cause key) { later[key] = later[key].since(earlier[key]); });
}

// Returns null if there is none. A label of an engine keeps its place; in a set, the place depends on which shards are
// there.
const label_snapshot* find_label(const std::vector<label_snapshot>& labels, const std::string& name,
                                 std::size_t likely) {
  if (likely < labels.size() && labels[likely].name == name) return &labels[likely];
  const auto found =
      std::find_if(labels.begin(), labels.end(), [&](const label_snapshot& each) { return each.name == name; });
  return found == labels.end() ? nullptr : &*found;
}

}  // namespace

std::size_t bytes_of(const histograms_by_cause& histograms) {
  std::size_t bytes = 0;
  for_each_key<cause>([&](cause key) { bytes += histograms[key].bytes(); });
  return bytes;
}

std::uint64_t label_snapshot::pending() const {
  return less(counts[label_counter::begun], counts[label_counter::over]);
}

std::int64_t counters_snapshot::age() const { return less(read_at, identity.made_at); }

std::uint64_t counters_snapshot::pending() const {
  const std::uint64_t pending = totals[counter::scheduled] + totals[counter::revived] - totals[counter::started_last] -
                                totals[counter::cancelled] - totals[counter::returned] - totals[counter::dropped];
  return static_cast<std::int64_t>(pending) < 0 ? 0 : pending;
}

std::uint64_t counters_snapshot::queued() const {
  return less(totals[counter::handed_over], totals[counter::fired] + static_cast<std::uint64_t>(gauges[gauge::let_go]));
}

std::uint64_t counters_snapshot::cancelled() const {
  return totals[counter::cancelled] + totals[counter::cancelled_running];
}

counters_snapshot since(const counters_snapshot& later, const counters_snapshot& earlier) {
  counters_snapshot change = later;
  for_each_key<counter>([&](counter key) { subtract(change.totals, earlier.totals, key); });
  subtract(change.gauges, earlier.gauges, gauge::wakeups);
  subtract(change.gauges, earlier.gauges, gauge::record_dropped);
  subtract(change.gauges, earlier.gauges, gauge::clock_distrusted);
  subtract(change.gauges, earlier.gauges, gauge::let_go);
  subtract(change.histograms, earlier.histograms);
  for (std::size_t i = 0; i < change.labels.size(); ++i) {
    const label_snapshot* before = find_label(earlier.labels, change.labels[i].name, i);
    // If the earlier reading has left this label out, its change is unknown.
    if (before == nullptr && earlier.labels_left_out != 0) before = &later.labels[i];
    if (before == nullptr) continue;
    label_snapshot& label = change.labels[i];
    for_each_key<label_counter>([&](label_counter key) { subtract(label.counts, before->counts, key); });
    subtract(label.histograms, before->histograms);
  }
  return change;
}

const char* name_of(counter key) {
  constexpr const char* names[] = {"scheduled",    "revived",  "started_last", "cancelled", "cancelled_running",
                                   "expired",      "returned", "dropped",      "fired",     "restarted",
                                   "refused",      "failed",   "boxed",        "drains",    "drained",
                                   "rings",        "retired",  "slow",         "missed",    "handed_over",
                                   "over_capacity"};
  static_assert(std::size(names) == std::size_t(counter::count_));
  return names[static_cast<std::size_t>(key)];
}

const char* name_of(gauge key) {
  constexpr const char* names[] = {"wakeups", "backlog",        "margin",         "last_pass",        "next_deadline",
                                   "retries", "hidden_threads", "record_dropped", "clock_distrusted", "let_go"};
  static_assert(std::size(names) == std::size_t(gauge::count_));
  return names[static_cast<std::size_t>(key)];
}

const char* name_of(cause key) {
  constexpr const char* names[] = {"lateness", "drain", "wait", "worker", "dispatch", "callback"};
  static_assert(std::size(names) == std::size_t(cause::count_));
  return names[static_cast<std::size_t>(key)];
}

const char* name_of(label_counter key) {
  constexpr const char* names[] = {"scheduled", "cancelled", "expired", "returned", "dropped", "fired",
                                   "failed",    "restarted", "begun",   "over",     "missed"};
  static_assert(std::size(names) == std::size_t(label_counter::count_));
  return names[static_cast<std::size_t>(key)];
}

}  // namespace detent::tool
