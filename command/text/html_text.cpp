// SPDX-License-Identifier: MIT
#include "text/html_text.hpp"

#include "text/utf8_text.hpp"

namespace detent::tool {
namespace {

constexpr char32_t replacement = U'\uFFFD';

// Control characters, and those that turn the direction of the text around them.
bool disturbs(char32_t c) {
  return (c < 0x20 && c != U'\n' && c != U'\t') || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char32_t c : decoded(text)) {
    switch (c) {
      case U'&': out += "&amp;"; break;
      case U'<': out += "&lt;"; break;
      case U'>': out += "&gt;"; break;
      case U'"': out += "&quot;"; break;
      case U'\'': out += "&#39;"; break;
      default: append_utf8(out, disturbs(c) ? replacement : c);
    }
  }
  return out;
}

}  // namespace detent::tool
