// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// The section of all things that need attention, the worst first.
std::string alert_section(const console_view& view);
// The doctor's findings: those to act on at length, the others folded.
std::string doctor_section(const console_view& view);

}  // namespace detent::tool
