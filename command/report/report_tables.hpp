// SPDX-License-Identifier: MIT
// What of a report is no drawing, each as HTML.
#pragma once
#include <string>
#include <vector>

#include "report/report_page.hpp"

namespace detent::tool {

std::string headline_cards(const text_table& headline);
std::string fact_table(const text_table& facts);

// What is bad, a warning or a note: a line each. All that was checked: folded away below.
std::string finding_list(const std::vector<finding>& findings);

// Lateness and the floors, a column for each percentile.
std::string percentile_table(const report_page& page);
// The causes and the callbacks, likewise, with each cause's shares.
std::string cause_table(const lateness_causes& causes);

}  // namespace detent::tool
