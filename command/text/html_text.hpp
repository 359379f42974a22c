// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// Any text as content of an element or of a quoted attribute: what means something to HTML is escaped; what is no
// character, or moves one about, becomes U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace detent::tool
