// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace detent::tool {

// Returns the console's only script, /console.js. The page also works without it.
std::string_view console_script();

}  // namespace detent::tool
