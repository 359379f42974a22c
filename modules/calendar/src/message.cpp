// SPDX-License-Identifier: MIT
#include "message.hpp"

#include <cstdio>

namespace detent::detail {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '\\') {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + (text.size() > longest ? "...'" : "'");
}

std::string day_text(civil_day day) {
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                static_cast<unsigned>(day.day()));
  return text;
}

}  // namespace detent::detail
