// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace detent::tool {

// The console's only script, /console.js; the page works without it.
std::string_view console_script();

}  // namespace detent::tool
