// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace detent::tool {

// RFC 4648, 4: with + and /, padded, in one line.
std::string base64(std::string_view bytes);
// The bytes that base64() makes the text of; none if there are no such bytes.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace detent::tool
