// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// For people: one paragraph of tables for each engine; a line that says so where there is none.
std::string stat_text(const std::vector<counters_snapshot>& engines);

}  // namespace detent::tool
