// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.hpp"

namespace detent::tool {

std::string_view name_of(severity judged);                     // "bad", "warning", "note", "unknown", "fine"
std::string summary_of(const std::vector<finding>& findings);  // one line, as in "1 bad, 2 warnings, 1 note"

// Formats findings for a terminal of at most 100 columns: important ones in full, and the rest in a line each.
std::string doctor_text(const std::vector<finding>& findings);
// Returns {"bad": N, "warnings": N, "findings": [{"subject", "severity", "seen", "where", "means", "cure"}, ...]}.
std::string doctor_json(const std::vector<finding>& findings);

}  // namespace detent::tool
