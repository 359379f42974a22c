// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace detent::tool {

// Returns whether the user agrees to `what`, such as "cancel 3 timers in orders.db". With `yes` it asks nothing;
// otherwise it asks on the terminal. Without a terminal it throws input_error, which says what would have happened.
bool has_consent(const std::string& what, bool yes);

}  // namespace detent::tool
