// SPDX-License-Identifier: MIT
// `detent stat -i`: a line for each engine and interval, of what was counted in it, as vmstat has it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

struct stat_intervals {
  double seconds = 0;       // 0: no intervals, a single reading
  std::uint64_t count = 0;  // 0: until it is interrupted, or until all engines that were there have ended
  bool each_shard = false;  // else the shards of a set are one
};

// The header's line, and one of an engine between two readings.
std::string interval_header();
std::string interval_line(const counters_snapshot& earlier, const counters_snapshot& later);

// Prints to standard output as time goes, and to standard error what cannot be read, once. Returns false where it ends
// because no target is live any more and one cannot be read: its process was killed, say. Throws input_error where a
// target cannot be read at the first reading, where no engine is there, or where the output cannot be written.
bool print_intervals(const std::vector<std::string>& targets, const stat_intervals& options);

}  // namespace detent::tool
