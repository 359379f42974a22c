// SPDX-License-Identifier: MIT
#include "text/html_text.hpp"

#include "text/utf8_text.hpp"

namespace detent::tool {
namespace {

constexpr char32_t replacement = U'\uFFFD';

bool may_stay(char32_t c) { return c == U'\n' || c == U'\t' || !(disturbs_text(c) || (c & 0xfffe) == 0xfffe); }

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
      default: append_utf8(out, may_stay(c) ? c : replacement);
    }
  }
  return out;
}

}  // namespace detent::tool
