// SPDX-License-Identifier: MIT
// The parts of a report that are not drawings, each as HTML.
#pragma once
#include <string>
#include <vector>

#include "report/report_page.hpp"

namespace detent::tool {

std::string headline_cards(const text_table& headline);
std::string fact_table(const text_table& facts);

// Shows a line for each finding that is bad, a warning or a note. The list of everything that was checked is folded
// below.
std::string finding_list(const std::vector<finding>& findings);

// Shows the lateness and the floors, with a column for each percentile.
std::string percentile_table(const report_page& page);
// Shows the causes and the callbacks in the same way, with each cause's shares.
std::string cause_table(const lateness_causes& causes);

}  // namespace detent::tool
