// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// For people: a paragraph of tables for each engine, or a line that says that there is none.
std::string stat_text(const std::vector<counters_snapshot>& engines);

}  // namespace detent::tool
