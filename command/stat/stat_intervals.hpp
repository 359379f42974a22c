// SPDX-License-Identifier: MIT
// `detent stat -i`: a line for each engine and interval, of what was counted in it, as vmstat has it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

struct stat_intervals {
  double seconds = 0;       // 0 for a single reading without intervals
  std::uint64_t count = 0;  // 0 until interrupted, or until all engines that were there have ended
  bool each_shard = false;  // otherwise the shards of a set are shown as one
};

// Return the header line, and the line of an engine for the time between two readings.
std::string interval_header();
std::string interval_line(const counters_snapshot& earlier, const counters_snapshot& later);

// Prints readings to standard output over time, and reports what cannot be read once on standard error. Returns false
// if it ends because no target is live and one cannot be read, for example because its process was killed. Throws
// input_error if a target cannot be read the first time, if there is no engine, or if the output cannot be written.
bool print_intervals(const std::vector<std::string>& targets, const stat_intervals& options);

}  // namespace detent::tool
