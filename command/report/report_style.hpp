// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace detent::tool {

// The style sheet of a report: light and dark screens, wide and narrow ones, and paper.
std::string_view report_style();

}  // namespace detent::tool
