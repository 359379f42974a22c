// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace detent::tool {

// The text as valid UTF-8 that neither moves a terminal's cursor nor turns the direction of its line: other bytes, and
// the backslash, as \xNN. Texts that differ stay different.
std::string printable(std::string_view text);
// The bytes that printable() has shown so, typed back: \xNN is a byte and \\ a backslash. None where a
// backslash is followed by anything else.
std::optional<std::string> bytes_of(std::string_view printed);

}  // namespace detent::tool
