// SPDX-License-Identifier: MIT
#include "counters/counters_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "text/units.hpp"

namespace detent::tool {
namespace {

// The gauges that count events, or that add up as levels do.
constexpr gauge summed[] = {gauge::wakeups,        gauge::backlog,        gauge::retries,
                            gauge::hidden_threads, gauge::record_dropped, gauge::let_go};
constexpr gauge largest[] = {gauge::margin, gauge::last_pass, gauge::clock_distrusted};

// The sum may wrap, because a damaged file may have any numbers.
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void merge(histograms_by_cause& into, const histograms_by_cause& more) {
  for_each_key<cause>([&](cause key) { into[key].add(more[key]); });
}

void merge(std::vector<label_snapshot>& into, const std::vector<label_snapshot>& more) {
  for (const label_snapshot& each : more) {
    const auto same = [&each](const label_snapshot& other) { return other.name == each.name; };
    const auto found = std::find_if(into.begin(), into.end(), same);
    if (found == into.end()) {
      into.push_back(each);
      continue;
    }
    for_each_key<label_counter>([&](label_counter key) { found->counts[key] += each.counts[key]; });
    merge(found->histograms, each.histograms);
  }
}

// Returns the name without the number of the shard.
std::string name_of_set(const engine_identity& of) {
  const std::string end = fmt::format("/{}", of.shard);
  return of.name.ends_with(end) ? of.name.substr(0, of.name.size() - end.size()) : of.name;
}

}  // namespace

std::vector<std::vector<std::size_t>> by_set(const std::vector<const engine_identity*>& engines) {
  std::vector<std::vector<std::size_t>> sets;
  std::map<std::tuple<std::uint64_t, std::int64_t, std::uint64_t, std::uint32_t>, std::size_t> known;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    const engine_identity& each = *engines[i];
    if (each.set != 0) {
      const auto [found, fresh] =
          known.try_emplace({each.process_namespace, each.process, each.process_start, each.set}, sets.size());
      if (!fresh) {
        sets[found->second].push_back(i);
        continue;
      }
    }
    sets.push_back({i});
  }
  for (std::vector<std::size_t>& each : sets)
    std::sort(each.begin(), each.end(),
              [&](std::size_t a, std::size_t b) { return engines[a]->shard < engines[b]->shard; });
  return sets;
}

counters_snapshot merged(const std::vector<const counters_snapshot*>& shards) {
  counters_snapshot sum = *shards.front();
  sum.identity.name = fmt::format("{} x{}", name_of_set(sum.identity), sum.identity.shards);
  for (std::size_t i = 1; i < shards.size(); ++i) {
    const counters_snapshot& each = *shards[i];
    sum.identity.made_at = std::min(sum.identity.made_at, each.identity.made_at);
    sum.gone = sum.is_live() || each.is_live() ? "" : sum.gone.empty() ? each.gone : sum.gone;
    sum.ended = sum.ended && each.ended;
    sum.read_at = std::max(sum.read_at, each.read_at);
    sum.threads = std::max(sum.threads, each.threads);
    for_each_key<counter>([&](counter key) { sum.totals[key] += each.totals[key]; });
    for (const gauge key : summed) sum.gauges[key] = wrapped_sum(sum.gauges[key], each.gauges[key]);
    for (const gauge key : largest) sum.gauges[key] = std::max(sum.gauges[key], each.gauges[key]);
    sum.gauges[gauge::next_deadline] = std::min(sum.gauges[gauge::next_deadline], each.gauges[gauge::next_deadline]);
    if (each.last_error_at > sum.last_error_at) {
      sum.last_error = each.last_error;
      sum.last_error_at = each.last_error_at;
    }
    if (!each.stall.empty()) sum.stall = each.stall;
    sum.stall_waiting += each.stall_waiting;
    merge(sum.histograms, each.histograms);
    merge(sum.labels, each.labels);
    sum.labels_left_out = std::max(sum.labels_left_out, each.labels_left_out);
  }
  return sum;
}

set_figures figures_of_set(const engine_identity& of, const std::vector<shard_figures>& shards) {
  set_figures set{.found = static_cast<std::uint32_t>(shards.size()), .shards = of.shards};
  if (shards.empty()) return set;
  double sum = 0;
  for (const shard_figures& each : shards) sum += each.fired;
  const auto most =
      std::max_element(shards.begin(), shards.end(), [](const auto& a, const auto& b) { return a.fired < b.fired; });
  const auto latest =
      std::max_element(shards.begin(), shards.end(), [](const auto& a, const auto& b) { return a.p99 < b.p99; });
  if (sum > 0) set.skew = most->fired * static_cast<double>(shards.size()) / sum;
  set.busiest = most->shard;
  set.worst = latest->shard;
  set.worst_p99 = latest->p99;
  return set;
}

void fold_sets(std::vector<counters_snapshot>& engines) {
  std::vector<const engine_identity*> identities;
  identities.reserve(engines.size());
  for (const counters_snapshot& each : engines) identities.push_back(&each.identity);
  std::vector<counters_snapshot> folded;
  for (const std::vector<std::size_t>& places : by_set(identities)) {
    std::vector<const counters_snapshot*> shards;
    std::vector<shard_figures> figures;
    for (const std::size_t place : places) {
      const counters_snapshot& each = engines[place];
      shards.push_back(&each);
      figures.push_back({.shard = each.identity.shard,
                         .fired = static_cast<double>(each.totals[counter::fired]),
                         .p99 = static_cast<double>(each.histograms[cause::lateness].percentile(99).count())});
    }
    if (shards.front()->identity.set == 0) {
      folded.push_back(*shards.front());
      continue;
    }
    folded.push_back(merged(shards));
    folded.back().set = figures_of_set(shards.front()->identity, figures);
  }
  engines = std::move(folded);
}

std::string text_of(const set_figures& set) {
  const std::string found = set.found == set.shards ? "" : fmt::format(", of which {} can be read", set.found);
  return fmt::format("{} shards{}; skew {:.2f} (most runs: shard {}); worst p99 {} (shard {})", set.shards, found,
                     set.skew, set.busiest, time_text(set.worst_p99), set.worst);
}

}  // namespace detent::tool
