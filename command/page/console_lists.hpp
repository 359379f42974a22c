// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// Returns the section of everything that needs attention, worst first.
std::string alert_section(const console_view& view);
// Shows the doctor's findings: those to act on in full, and the others folded.
std::string doctor_section(const console_view& view);

}  // namespace detent::tool
