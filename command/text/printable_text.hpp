// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace detent::tool {

// Returns the text as valid UTF-8 that neither moves a terminal's cursor nor changes the direction of its line. Other
// bytes, and the backslash, become \xNN. Different texts stay different.
std::string printable(std::string_view text);
// Returns the bytes of a text that printable() has shown: \xNN is a byte and \\ is a backslash. Returns nothing if a
// backslash is followed by anything else.
std::optional<std::string> bytes_of(std::string_view printed);

}  // namespace detent::tool
