// SPDX-License-Identifier: MIT
#include "console/long_history.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "page/console_figures.hpp"

namespace detent::tool {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;

constexpr std::chrono::minutes same_trouble(5);

microseconds span_of(float seconds) { return duration_cast<microseconds>(std::chrono::duration<double>(seconds)); }

float largest(float known, const std::optional<double>& more) {
  return more ? std::max(known, static_cast<float>(*more)) : known;
}

// Sums up the samples after `since`. Returns nothing if there are none.
std::optional<kept_sample> sum_of(const std::vector<console_sample>& samples, console_time since, console_time until) {
  kept_sample sum;
  double seconds = 0, scheduled = 0, fired = 0, cancelled = 0, missed = 0;
  for (const console_sample& each : samples) {
    if (each.at <= since || each.at > until) continue;
    seconds += each.seconds;
    scheduled += each.scheduled * each.seconds;
    fired += each.fired * each.seconds;
    cancelled += each.cancelled * each.seconds;
    missed += each.missed * each.seconds;
    sum.at = each.at;
    sum.p50 = largest(sum.p50, each.p50);
    sum.p99 = largest(sum.p99, each.p99);
    sum.most = largest(sum.most, each.most);
    sum.pending = static_cast<float>(each.pending);
  }
  if (seconds <= 0) return {};
  sum.seconds = static_cast<float>(seconds);
  sum.scheduled = static_cast<float>(scheduled / seconds);
  sum.fired = static_cast<float>(fired / seconds);
  sum.cancelled = static_cast<float>(cancelled / seconds);
  sum.missed = static_cast<float>(missed / seconds);
  return sum;
}

console_sample shown(const kept_sample& its) {
  const auto time = [](float ns) { return ns < 0 ? std::nullopt : std::optional<double>(ns); };
  return {.at = its.at,
          .seconds = its.seconds,
          .p50 = time(its.p50),
          .p99 = time(its.p99),
          .most = time(its.most),
          .scheduled = its.scheduled,
          .fired = its.fired,
          .cancelled = its.cancelled,
          .missed = its.missed,
          .pending = static_cast<std::uint64_t>(std::clamp(its.pending, 0.0F, 9e18F))};
}

bool is_trouble(severity judged) { return judged <= severity::warning; }

}  // namespace

void long_history::take_over(std::vector<history_file::contents> contents) {
  for (std::size_t place = 0; place < contents.size(); ++place) {
    auto& [engine, samples] = contents[place];
    if (samples.empty() || known_.contains(engine.id)) continue;
    taken_[place] = true;
    const std::string id = engine.id;
    known_[id] = {place, std::move(engine), std::move(samples)};
  }
}

void long_history::take(const std::vector<console_engine>& engines, console_time now) {
  forget(now);
  for (const console_engine& each : engines) {
    add(each, now);
    for (const console_engine& shard : each.shards) add(shard, now);
  }
  last_ = now;
}

void long_history::add(const console_engine& engine, console_time now) {
  if (!engine.live) return;
  const auto sample = sum_of(engine.history, last_, now);
  kept* const its = sample ? kept_as(engine) : nullptr;
  if (its == nullptr) return;
  its->samples.push_back(*sample);
  its->samples.back().judged = worst_of(engine);
  changes_.push_back({its->place, its->engine, its->samples.back()});
}

// Returns null if there is no room.
long_history::kept* long_history::kept_as(const console_engine& engine) {
  if (const auto found = known_.find(engine.id); found != known_.end()) return &found->second;
  auto place = std::find(taken_.begin(), taken_.end(), false);
  if (place == taken_.end()) {
    // Makes room by dropping the engine that has been gone for the longest time, if any is gone.
    const auto oldest =
        std::ranges::min_element(known_, {}, [](const auto& each) { return each.second.samples.back().at; });
    if (oldest->second.samples.back().at >= last_) return nullptr;
    place = taken_.begin() + static_cast<std::ptrdiff_t>(oldest->second.place);
    known_.erase(oldest);
  }
  *place = true;
  const engine_identity& identity = engine.row.identity;
  std::string name = identity.name;
  if (identity.set != 0 && !engine.row.set) name += ", shard " + std::to_string(identity.shard);
  kept& made = known_[engine.id];
  made.place = static_cast<std::size_t>(std::distance(taken_.begin(), place));
  made.engine = {engine.id, std::move(name), identity.process};
  return &made;
}

// Also drops samples from the future, after the clock was set back, because they would never age.
void long_history::forget(console_time now) {
  for (auto each = known_.begin(); each != known_.end();) {
    std::vector<kept_sample>& samples = each->second.samples;
    std::erase_if(samples, [&](const kept_sample& its) { return its.at <= now - length_ || its.at > now; });
    if (samples.empty()) {
      taken_[each->second.place] = false;
      each = known_.erase(each);
    } else {
      ++each;
    }
  }
  if (last_ > now) last_ = now;
}

std::vector<console_sample> long_history::samples(std::string_view id, console_time now) const {
  std::vector<console_sample> out;
  const auto found = known_.find(id);
  if (found == known_.end()) return out;
  for (const kept_sample& each : found->second.samples)
    if (each.at > now - length_) out.push_back(shown(each));
  return out;
}

std::optional<trouble_span> long_history::trouble(std::string_view id, console_time now) const {
  const auto found = known_.find(id);
  if (found == known_.end()) return {};
  const std::vector<kept_sample>& samples = found->second.samples;
  const severity judged = samples.back().judged;
  if (!is_trouble(judged)) return {};
  console_time from = samples.back().at;
  for (auto each = samples.rbegin(); each != samples.rend() && from - each->at < same_trouble; ++each)
    if (each->judged <= judged) from = each->at - span_of(each->seconds);
  // Earlier samples may have been dropped.
  const bool may_be_older = from <= now - length_ + 2 * step_of(length_);
  return trouble_span{.judged = judged, .from = from, .may_be_older = may_be_older};
}

std::vector<past_engine> long_history::past(console_time now) const {
  std::vector<past_engine> out;
  for (const auto& [id, its] : known_) {
    const kept_sample& last = its.samples.back();
    if (last.at > now - std::max<microseconds>(2 * step_of(length_), std::chrono::minutes(1))) continue;
    const auto worst = std::ranges::min_element(its.samples, {}, &kept_sample::judged);
    out.push_back({.id = id,
                   .name = its.engine.name,
                   .process = its.engine.process,
                   .first = its.samples.front().at - span_of(its.samples.front().seconds),
                   .last = last.at,
                   .worst = worst->judged});
  }
  std::ranges::stable_sort(out, std::greater<>(), &past_engine::last);
  return out;
}

}  // namespace detent::tool
