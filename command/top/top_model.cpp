// SPDX-License-Identifier: MIT
#include "top/top_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace detent::tool {
namespace {

constexpr std::size_t most_remembered = 512;  // intervals

bool contains(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::string named(const engine_identity& identity) {
  return fmt::format("{} of process {}", identity.name.empty() ? "an engine" : identity.name, identity.process);
}

}  // namespace

top_model::key top_model::key_of(const engine_identity& identity) {
  return {identity.path, identity.process, identity.made_at};
}

void top_model::update(known_engine& engine, engine_reading reading) {
  engine.before = engine.now.snapshot.identity.path.empty() ? std::nullopt : std::optional(std::move(engine.now));
  engine.now = std::move(reading);
  const counters_histogram& all = engine.now.snapshot.histograms[cause::lateness];
  // The first reading of an engine covers its whole life, so it is not a point on a line over time.
  if (!engine.before) return;
  const counters_histogram late = all.since(engine.before->snapshot.histograms[cause::lateness]);
  std::optional<double> p99;
  if (late.count() != 0) p99 = static_cast<double>(late.percentile(99).count());
  engine.p99s.push_back(p99);
  if (engine.p99s.size() > most_remembered) engine.p99s.erase(engine.p99s.begin());
}

// An engine whose file became a trouble is not reported as ended, because the trouble was reported.
void top_model::forget(const std::map<key, engine_reading>& seen) {
  const auto reported = [this](const std::string& path) {
    return std::any_of(troubles_.begin(), troubles_.end(), [&](auto& each) { return each.starts_with(path + ":"); });
  };
  std::vector<std::string> gone;
  std::erase_if(engines_, [&](const auto& each) {
    if (seen.contains(each.first)) return false;
    const engine_identity& identity = each.second.now.snapshot.identity;
    if (!reported(identity.path)) gone.push_back(named(identity));
    return true;
  });
  if (gone.size() == 1) message_ = fmt::format("{} has ended", gone[0]);
  if (gone.size() > 1) message_ = fmt::format("{} and {} more have ended", gone[0], gone.size() - 1);
}

// A file that is not an engine's, or no longer, is reported once.
void top_model::note_troubles(const std::vector<std::string>& troubles) {
  std::size_t fresh = 0;
  for (const std::string& each : troubles) {
    if (contains(troubles_, each)) continue;
    if (fresh++ == 0) message_ = each;
  }
  if (fresh > 1) message_ += fmt::format(" (and {} more)", fresh - 1);
  troubles_ = troubles;
}

void top_model::take(host_reading reading) {
  message_.clear();
  std::map<key, engine_reading> seen;
  for (engine_reading& each : reading.engines) {
    key of = key_of(each.snapshot.identity);
    seen.emplace(std::move(of), std::move(each));
  }
  for (left_file& each : reading.left) reading.troubles.push_back(std::move(each.line));
  note_troubles(reading.troubles);
  forget(seen);
  for (auto& [of, each] : seen) update(engines_[of], std::move(each));
  make_rows();
}

top_model::set_key top_model::set_of(const engine_identity& identity) {
  return {identity.process, identity.process_start, identity.set};
}

void top_model::make_rows() {
  rows_.clear();
  std::vector<const known_engine*> engines;
  std::vector<const engine_identity*> identities;
  for (const auto& [of, engine] : engines_) {
    engines.push_back(&engine);
    identities.push_back(&engine.now.snapshot.identity);
  }
  for (const std::vector<std::size_t>& places : by_set(identities)) {
    std::vector<const known_engine*> shards;
    shards.reserve(places.size());
    for (const std::size_t place : places) shards.push_back(engines[place]);
    const engine_identity& first = *identities[places.front()];
    if (first.set != 0 && !unfolded_.contains(set_of(first))) {
      add_set(shards);
      continue;
    }
    for (const known_engine* each : shards) {
      const bool recent = span_ == top_span::recent && each->before;
      rows_.push_back(row_of(each->now, recent ? &*each->before : nullptr));
      rows_.back().p99s = each->p99s;
    }
  }
  arrange();
}

// The set's line over time shows, in each interval, the shard that was latest.
void top_model::add_set(const std::vector<const known_engine*>& shards) {
  std::vector<const engine_reading*> now, before;
  std::vector<std::optional<double>> p99s;
  for (const known_engine* each : shards) {
    now.push_back(&each->now);
    if (span_ == top_span::recent && each->before) before.push_back(&*each->before);
    p99s.resize(std::max(p99s.size(), each->p99s.size()));
    const std::size_t missing = p99s.size() - each->p99s.size();
    for (std::size_t i = 0; i < each->p99s.size(); ++i) p99s[missing + i] = std::max(p99s[missing + i], each->p99s[i]);
  }
  if (before.size() != now.size()) before.clear();
  rows_.push_back(row_of_set(now, before));
  rows_.back().p99s = std::move(p99s);
}

bool top_model::unfold() {
  if (rows_.empty() || !rows_[selected_].set) return false;
  unfolded_.insert(set_of(rows_[selected_].identity));
  make_rows();
  return true;
}

bool top_model::fold() {
  if (rows_.empty() || unfolded_.erase(set_of(rows_[selected_].identity)) == 0) return false;
  make_rows();
  return true;
}

void top_model::arrange() {
  std::sort(rows_.begin(), rows_.end(), [this](const top_row& a, const top_row& b) {
    return reversed_ ? stands_above(sorted_by_, b, a) : stands_above(sorted_by_, a, b);
  });
  const auto is_selected = [this](const top_row& row) { return selected_key_ == key_of(row.identity); };
  const auto found = std::find_if(rows_.begin(), rows_.end(), is_selected);
  if (found != rows_.end()) selected_ = static_cast<std::size_t>(found - rows_.begin());
  move_selection(0);
}

const top_row* top_model::selected_row() const { return rows_.empty() ? nullptr : &rows_[selected_]; }

void top_model::move_selection(std::ptrdiff_t rows) {
  if (rows_.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
  const auto from = std::min(static_cast<std::ptrdiff_t>(selected_), last);
  selected_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + std::clamp(rows, -last, last), 0, last));
  selected_key_ = key_of(rows_[selected_].identity);
}

void top_model::select_first() { move_selection(-static_cast<std::ptrdiff_t>(selected_)); }

void top_model::set_span(top_span span) {
  span_ = span;
  make_rows();
}

void top_model::sort_by(top_column column) {
  sorted_by_ = column;
  arrange();
}

void top_model::reverse() {
  reversed_ = !reversed_;
  arrange();
}

}  // namespace detent::tool
