// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// Makes any text fit for the contents of an element or a quoted attribute. Characters with a meaning in HTML are
// escaped; invalid ones, and those that move others about, become U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace detent::tool
