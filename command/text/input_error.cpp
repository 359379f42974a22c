// SPDX-License-Identifier: MIT
#include "text/input_error.hpp"

#include <fmt/format.h>

namespace detent::tool {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 48;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte >= 0x7f || c == '\\') {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + (text.size() > longest ? "...'" : "'");
}

}  // namespace detent::tool
