// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace detent::tool {

// Encodes by RFC 4648, section 4: with + and /, padded, in one line.
std::string base64(std::string_view bytes);
// Returns the bytes for which base64() returns this text, if there are any.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace detent::tool
