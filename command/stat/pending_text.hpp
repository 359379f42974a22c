// SPDX-License-Identifier: MIT
// `detent pending`: how many timers are pending in engines of other processes, as far as counts can say.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

enum class pending_by : std::uint8_t { engine, label };

// For people: a line for each engine, or for each label of each engine, and a note on what counters files cannot tell.
std::string pending_text(const std::vector<counters_snapshot>& engines, pending_by by);
// Returns one object with a list of engines, with their labels if asked for. Times are in whole nanoseconds.
std::string pending_json(const std::vector<counters_snapshot>& engines, pending_by by);

}  // namespace detent::tool
