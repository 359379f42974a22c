// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// RFC 4648, 4: with + and /, padded, in one line.
std::string base64(std::string_view bytes);

}  // namespace detent::tool
