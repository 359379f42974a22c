// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace detent::tool {

// Returns the console's style sheet, /console.css: a report's, and what the console adds.
std::string console_style();

}  // namespace detent::tool
