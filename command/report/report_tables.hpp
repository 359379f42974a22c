// SPDX-License-Identifier: MIT
// The parts of a report that are not drawings, each as HTML.
#pragma once
#include <string>
#include <vector>

#include "report/report_page.hpp"

namespace detent::tool {

std::string headline_cards(const text_table& headline);
std::string fact_table(const text_table& facts);

// A line for each finding that is bad, a warning or a note. A list of all that was checked is folded away below.
std::string finding_list(const std::vector<finding>& findings);

// Lateness and the floors, a column for each percentile.
std::string percentile_table(const report_page& page);
// The causes and the callbacks, likewise, with each cause's shares.
std::string cause_table(const lateness_causes& causes);

}  // namespace detent::tool
