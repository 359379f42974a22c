// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace detent::tool {

// The style sheet of the console, /console.css: that of a report, and what the console has besides.
std::string console_style();

}  // namespace detent::tool
