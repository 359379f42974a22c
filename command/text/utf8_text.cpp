// SPDX-License-Identifier: MIT
#include "text/utf8_text.hpp"

#include <algorithm>
#include <cstddef>

namespace detent::tool {
namespace {

constexpr char32_t replacement = 0xfffd;

std::size_t length_by(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

}  // namespace

std::u32string decoded(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = length_by(byte(0));
    const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    if (length == 0 || length > text.size() ||
        !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), follows)) {
      out += replacement;
      text.remove_prefix(1);
      continue;
    }
    char32_t character = length == 1 ? byte(0) : byte(0) & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3fU);
    out += character;
    text.remove_prefix(length);
  }
  return out;
}

void append_utf8(std::string& text, char32_t character) {
  const auto add = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto add_rest = [&](int shift) {
    for (; shift >= 0; shift -= 6) add(0x80 | ((character >> shift) & 0x3f));
  };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xc0 | (character >> 6));
    add_rest(0);
  } else if (character < 0x10000) {
    add(0xe0 | (character >> 12));
    add_rest(6);
  } else {
    add(0xf0 | (character >> 18));
    add_rest(12);
  }
}

}  // namespace detent::tool
