// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// Returns the characters of a UTF-8 text. Each byte that is not UTF-8 becomes U+FFFD.
std::u32string decoded(std::string_view text);
void append_utf8(std::string& text, char32_t character);
// Returns whether it is a control character, or one that changes the direction of the text around it or breaks its
// line.
bool disturbs_text(char32_t character);

}  // namespace detent::tool
