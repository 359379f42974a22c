// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// The text as valid UTF-8 that moves no terminal's cursor: other bytes, and the backslash, as \xNN. Texts that differ
// stay different.
std::string printable(std::string_view text);

}  // namespace detent::tool
