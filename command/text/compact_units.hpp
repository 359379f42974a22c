// SPDX-License-Identifier: MIT
// Numbers for narrow columns: never wider than digits + 3 characters.
#pragma once
#include <string>

namespace detent::tool {

// Writes `digits` significant digits (2 or 3) and the unit without a space: "0", "850ns", "1.2us", "12.3ms", "2.0h".
std::string compact_time(double ns, int digits = 2);
// Writes three significant digits: "0", "0.4", "999", "1.23k", "12.3M".
std::string compact_count(double count);

// Writes "1s", "0.5s", "2.5m".
std::string delay_text(double seconds);

}  // namespace detent::tool
