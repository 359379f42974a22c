// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace detent::tool {

// Whether the user lets `what` happen, such as "cancel 3 timers in orders.db". With `yes` no question is asked, else
// one on the terminal. Where there is none, throws input_error, which says what would have happened.
bool has_consent(const std::string& what, bool yes);

}  // namespace detent::tool
