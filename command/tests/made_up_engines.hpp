// SPDX-License-Identifier: MIT
// Readings of engines that never were, for what `detent top` makes of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "counters/histogram_recorder.hpp"
#include "top/top_model.hpp"

namespace detent::test {

// Each pair is a value and how many times it was recorded.
using recorded = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

inline tool::counters_histogram histogram_of(const recorded& values) {
  std::vector<std::uint64_t> words(counters_layout::histogram_buckets + 2);
  for (const auto& [value, times] : values) {
    words[detail::histogram_scale::bucket(value)] += times;
    words[counters_layout::histogram_buckets] += value * times;
    words.back() = std::max(words.back(), value);
  }
  return tool::counters_histogram(words);
}

inline constexpr std::int64_t second = 1'000'000'000;

// Reads an engine that was made at time zero and has counted nothing, after so many seconds.
inline tool::engine_reading reading_of(const std::string& name, std::int64_t process, std::int64_t seconds) {
  tool::engine_reading reading;
  tool::counters_snapshot& snapshot = reading.snapshot;
  snapshot.identity.path = "/dev/shm/detent." + std::to_string(process) + ".0";
  snapshot.identity.name = name;
  snapshot.identity.process = process;
  snapshot.identity.worker_thread = static_cast<std::uint32_t>(process + 1);
  snapshot.identity.tick = 1;
  snapshot.identity.wheel = "hierarchical";
  snapshot.identity.wait = "hybrid";
  snapshot.identity.drive = "worker";
  snapshot.identity.clock = "steady";
  snapshot.read_at = seconds * second;
  reading.worker_cpu = seconds * second / 4;
  return reading;
}

// Does the same with `a_second` timers scheduled each second, and as many fired with this lateness.
inline tool::engine_reading busy_reading(const std::string& name, std::int64_t process, std::int64_t seconds,
                                         std::uint64_t a_second, std::uint64_t late) {
  tool::engine_reading reading = reading_of(name, process, seconds);
  tool::counters_snapshot& snapshot = reading.snapshot;
  const std::uint64_t count = a_second * static_cast<std::uint64_t>(seconds);
  snapshot.totals[tool::counter::scheduled] = count + 1000;
  snapshot.totals[tool::counter::started_last] = count;
  snapshot.totals[tool::counter::fired] = count;
  snapshot.gauges[tool::gauge::margin] = 52'000;
  snapshot.gauges[tool::gauge::backlog] = 12;
  snapshot.histograms[tool::cause::lateness] = histogram_of({{late, count}});
  snapshot.histograms[tool::cause::wait] = histogram_of({{late / 4, count}});
  snapshot.histograms[tool::cause::worker] = histogram_of({{late - late / 4, count}});
  snapshot.histograms[tool::cause::drain] = histogram_of({{0, count}});
  snapshot.histograms[tool::cause::dispatch] = histogram_of({{0, count}});
  snapshot.histograms[tool::cause::callback] = histogram_of({{300, count}});
  return reading;
}

// Makes one of two shards of a set.
inline tool::engine_reading shard_of(const std::string& set, std::uint32_t shard, std::int64_t seconds,
                                     std::uint64_t a_second, std::uint64_t late) {
  tool::engine_reading made = busy_reading(set + "/" + std::to_string(shard), 7, seconds, a_second, late);
  made.snapshot.identity.path += "." + std::to_string(shard);
  made.snapshot.identity.set = 1;
  made.snapshot.identity.shard = shard;
  made.snapshot.identity.shards = 2;
  return made;
}

inline void add_label(tool::engine_reading& reading, const std::string& name, std::uint64_t fired, std::uint64_t late) {
  tool::label_snapshot label;
  label.name = name;
  label.counts[tool::label_counter::scheduled] = fired + 5;
  label.counts[tool::label_counter::begun] = fired + 5;
  label.counts[tool::label_counter::over] = fired;
  label.counts[tool::label_counter::fired] = fired;
  label.histograms[tool::cause::lateness] = histogram_of({{late, fired}});
  label.histograms[tool::cause::drain] = histogram_of({{late, fired}});
  label.histograms[tool::cause::callback] = histogram_of({{900, fired}});
  reading.snapshot.labels.push_back(std::move(label));
}

}  // namespace detent::test
