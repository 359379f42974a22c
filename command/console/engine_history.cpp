// SPDX-License-Identifier: MIT
#include "console/engine_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "counters/counters_set.hpp"

namespace detent::tool {
namespace {

using std::chrono::seconds;

constexpr seconds kept_for(static_cast<int>(engine_history::window));
constexpr std::size_t most_engines = 512, most_ended = 64, most_troubles = 50;
constexpr std::int64_t between_bases = 30'000'000'000;  // ns
constexpr std::size_t most_bases = 10;
// Histograms make a reading large. Fewer large readings are kept, but always two.
constexpr std::size_t most_base_bytes = 48 << 20, most_ended_bytes = 8 << 20;

std::size_t bytes_of(const counters_snapshot& snapshot) {
  std::size_t bytes = sizeof snapshot + tool::bytes_of(snapshot.histograms);
  for (const label_snapshot& each : snapshot.labels)
    bytes += sizeof each + each.name.capacity() + tool::bytes_of(each.histograms);
  return bytes;
}

double seconds_between(const engine_reading& earlier, const engine_reading& later) {
  return static_cast<double>(std::max<std::int64_t>(later.snapshot.read_at - earlier.snapshot.read_at, 0)) / 1e9;
}

console_sample sample_of(const counters_snapshot& change, double length, std::uint64_t pending, console_time now) {
  const auto rate = [&](std::uint64_t count) { return static_cast<double>(count) / length; };
  console_sample sample{.at = now,
                        .seconds = length,
                        .p50 = {},
                        .p99 = {},
                        .scheduled = rate(change.totals[counter::scheduled]),
                        .fired = rate(change.totals[counter::fired]),
                        .cancelled = rate(change.cancelled()),
                        .missed = rate(change.totals[counter::missed]),
                        .pending = pending};
  if (const time_figures late = figures_of(change.histograms[cause::lateness]); late.count != 0) {
    sample.p50 = late.p50;
    sample.p99 = late.p99;
    sample.most = late.most;
  }
  return sample;
}

void add(std::deque<console_sample>& samples, const console_sample& sample, console_time now) {
  samples.push_back(sample);
  // If the wall clock was set back, a sample from the future would never age.
  while (samples.front().at < now - kept_for || samples.front().at > now) samples.pop_front();
}

void add_gauges(console_engine& engine, const counters_snapshot& now) {
  if (now.totals[counter::handed_over] != 0) engine.queued = now.queued();
  const std::int64_t next = now.gauges[gauge::next_deadline];
  // A manual clock may show any time.
  if (next != std::numeric_limits<std::int64_t>::max() && std::string_view(now.identity.clock) != "manual")
    engine.next_due = static_cast<double>(next) - static_cast<double>(now.read_at);
  engine.hidden_threads = static_cast<std::uint64_t>(std::max<std::int64_t>(now.gauges[gauge::hidden_threads], 0));
  engine.retries = static_cast<std::uint64_t>(std::max<std::int64_t>(now.gauges[gauge::retries], 0));
}

// A file's name is unique in its directory. Others may choose it, and an id becomes part of addresses and of HTML.
std::string id_of(const engine_identity& identity) {
  const std::string name = std::filesystem::path(identity.path).filename().string();
  std::string out = "e";
  for (const char each : name.substr(name.find('.') + 1)) {
    const bool plain = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9');
    out += plain || each == '.' ? std::string(1, each) : fmt::format("-{:02x}", static_cast<unsigned char>(each));
  }
  return fmt::format("{}-{}", out, identity.made_at);
}

}  // namespace

engine_history::key engine_history::key_of(const engine_reading& reading) {
  return {reading.snapshot.identity.path, reading.snapshot.identity.made_at};
}

engine_history::set_key engine_history::set_of(const engine_identity& identity) {
  return {identity.process, identity.process_start, identity.set};
}

void engine_history::take_time(const host_reading& reading) {
  if (reading.engines.empty()) return;
  const std::int64_t read_at = reading.engines.front().snapshot.read_at;
  std::size_t bytes = 0;
  for (const engine_reading& each : reading.engines) bytes += bytes_of(each.snapshot);
  each_base_ = bytes * most_bases <= most_base_bytes ? 1 : bytes * most_bases <= 2 * most_base_bytes ? 2 : 5;
  is_base_ = read_at - base_read_at_ >= between_bases;
  if (!is_base_) return;
  base_read_at_ = read_at;
  ++bases_taken_;
}

void engine_history::update(known_engine& engine, engine_reading reading, console_time now) const {
  const bool known = !engine.bases.empty();
  if (known) {
    engine.seconds = seconds_between(engine.now, reading);
    // The labels are left out of the difference, because no page shows labels of one interval.
    std::vector<label_snapshot> labels = std::exchange(reading.snapshot.labels, {});
    engine.change = since(reading.snapshot, engine.now.snapshot);
    reading.snapshot.labels = std::move(labels);
  }
  engine.now = std::move(reading);
  engine.live = true;
  engine.seen = now;
  if (!known || (is_base_ && bases_taken_ % each_base_ == 0)) engine.bases.push_back(engine.now);
  while (engine.bases.size() > most_bases / each_base_) engine.bases.pop_front();
  if (known && engine.seconds > 0)
    add(engine.samples, sample_of(engine.change, engine.seconds, engine.now.snapshot.pending(), now), now);
}

void engine_history::take(host_reading reading, console_time now) {
  for (auto& [of, engine] : engines_) engine.live = false;
  for (const engine_reading& each : reading.engines) {
    if (const auto found = engines_.find(key_of(each)); found != engines_.end()) found->second.live = true;
  }
  forget(now);  // first, because ended engines make room
  take_time(reading);
  std::size_t left_out = 0;
  for (engine_reading& each : reading.engines) {
    const key of = key_of(each);
    if (engines_.size() < most_engines || engines_.contains(of)) {
      update(engines_[of], std::move(each), now);
    } else {
      ++left_out;
    }
  }
  if (left_out != 0)
    reading.troubles.push_back(fmt::format("{} engines are not shown: {} are", left_out, most_engines));
  for (auto& [of, engine] : engines_) {
    const auto is_its_file = [&path = engine.now.snapshot.identity.path](const auto& each) {
      return each.path == path;
    };
    engine.killed = !engine.live && (engine.killed || std::ranges::any_of(reading.left, is_its_file));
  }
  note(std::move(reading.troubles), std::move(reading.left));
  add_set_samples(now);
}

void engine_history::note(std::vector<std::string> troubles, std::vector<left_file> left) {
  troubles_.clear();
  if (left.size() == 1) troubles_.push_back(std::move(left.front().line));
  if (left.size() > 1)
    troubles_.push_back(
        fmt::format("{} files are of processes that are gone (detent stat --tidy removes them); the first: {}",
                    left.size(), left.front().line));
  std::ranges::move(troubles, std::back_inserter(troubles_));
  if (troubles_.size() <= most_troubles) return;
  const std::size_t more = troubles_.size() - most_troubles;
  troubles_.resize(most_troubles);
  troubles_.push_back(fmt::format("and {} more files that cannot be read", more));
}

void engine_history::forget(console_time now) {
  std::vector<std::pair<console_time, key>> ended;
  for (const auto& [of, engine] : engines_) {
    if (!engine.live) ended.emplace_back(engine.seen, of);
  }
  std::sort(ended.begin(), ended.end());
  std::size_t bytes = 0, kept = 0;
  for (auto each = ended.rbegin(); each != ended.rend(); ++each) {  // latest first
    const known_engine& engine = engines_[each->second];
    bytes += bytes_of(engine.now.snapshot);
    for (const engine_reading& base : engine.bases) bytes += bytes_of(base.snapshot);
    if (++kept > most_ended || bytes > most_ended_bytes || each->first < now - kept_for || each->first > now)
      engines_.erase(each->second);
  }
  // A set is known as long as one of its shards is, no matter how often a forged file names another set.
  std::set<set_key> known;
  for (const auto& [of, engine] : engines_) known.insert(set_of(engine.now.snapshot.identity));
  std::erase_if(sets_, [&known](const auto& each) { return !known.contains(each.first); });
}

// A sample of a set adds up the shards that were there at both ends of the interval.
void engine_history::add_set_samples(console_time now) {
  std::map<set_key, std::vector<const known_engine*>> shards;
  for (const auto& [of, engine] : engines_) {
    const engine_identity& identity = engine.now.snapshot.identity;
    if (identity.set != 0 && engine.live && engine.seconds > 0) shards[set_of(identity)].push_back(&engine);
  }
  for (const auto& [of, engines] : shards) {
    std::vector<const counters_snapshot*> changes;
    std::uint64_t pending = 0;
    double length = 0;
    for (const known_engine* each : engines) {
      changes.push_back(&each->change);
      pending += each->now.snapshot.pending();
      length = std::max(length, each->seconds);
    }
    known_set& set = sets_[of];
    add(set.samples, sample_of(merged(changes), length, pending, now), now);
  }
}

console_engine engine_history::shown(const known_engine& engine) {
  console_engine made;
  made.id = id_of(engine.now.snapshot.identity);
  made.live = engine.live;
  made.killed = engine.killed;
  const engine_reading& base = engine.bases.front();
  // If an engine was read only once, its figures cover its whole life.
  const bool twice = base.snapshot.read_at != engine.now.snapshot.read_at;
  made.row = row_of(engine.now, twice ? &base : nullptr);
  made.seconds = twice ? seconds_between(base, engine.now) : made.row.age / 1e9;
  add_gauges(made, engine.now.snapshot);
  made.history.assign(engine.samples.begin(), engine.samples.end());
  return made;
}

console_engine engine_history::shown_set(const std::vector<const known_engine*>& shards) const {
  std::vector<const engine_reading*> now, before;
  std::vector<const counters_snapshot*> snapshots;
  bool twice = true;
  double length = 0;
  for (const known_engine* each : shards) {
    now.push_back(&each->now);
    before.push_back(&each->bases.front());
    snapshots.push_back(&each->now.snapshot);
    length = std::max(length, seconds_between(*before.back(), each->now));
    twice = twice && before.back()->snapshot.read_at != each->now.snapshot.read_at;
  }
  if (!twice) before.clear();
  console_engine made;
  const engine_identity& first = shards.front()->now.snapshot.identity;
  made.id = fmt::format("s{}-{}-{}", first.process, first.process_start, first.set);
  made.live = shards.front()->live;
  made.killed = std::ranges::any_of(shards, &known_engine::killed);
  made.row = row_of_set(now, before);
  made.seconds = twice ? length : made.row.age / 1e9;
  add_gauges(made, merged(snapshots));
  if (const auto found = sets_.find(set_of(first)); found != sets_.end())
    made.history.assign(found->second.samples.begin(), found->second.samples.end());
  return made;
}

std::vector<console_engine> engine_history::engines() const {
  std::vector<const known_engine*> known;
  std::vector<const engine_identity*> identities;
  for (const auto& [of, engine] : engines_) {
    known.push_back(&engine);
    identities.push_back(&engine.now.snapshot.identity);
  }
  std::vector<console_engine> made;
  for (const std::vector<std::size_t>& places : by_set(identities)) {
    std::vector<const known_engine*> shards;
    shards.reserve(places.size());
    for (const std::size_t place : places) shards.push_back(known[place]);
    if (shards.front()->now.snapshot.identity.set == 0) {
      made.push_back(shown(*shards.front()));
      continue;
    }
    // A shard that has ended is left out of the sum, unless all of them have.
    std::vector<const known_engine*> counted;
    std::copy_if(shards.begin(), shards.end(), std::back_inserter(counted), [](auto* each) { return each->live; });
    made.push_back(shown_set(counted.empty() ? shards : counted));
    for (const known_engine* each : shards) made.back().shards.push_back(shown(*each));
  }
  return made;
}

}  // namespace detent::tool
