// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// The characters of UTF-8 text; each byte that is none of it becomes U+FFFD.
std::u32string decoded(std::string_view text);
void append_utf8(std::string& text, char32_t character);
// Whether it is a control character, or one that turns the direction of the text around it or breaks its line.
bool disturbs_text(char32_t character);

}  // namespace detent::tool
