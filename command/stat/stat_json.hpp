// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// Returns one object with a list of engines. Times are in whole nanoseconds.
std::string stat_json(const std::vector<counters_snapshot>& engines);

}  // namespace detent::tool
