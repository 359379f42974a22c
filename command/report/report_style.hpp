// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace detent::tool {

// Returns a report's style sheet, for light and dark, wide and narrow screens, and for paper.
std::string_view report_style();

}  // namespace detent::tool
