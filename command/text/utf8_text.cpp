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

// Overlong forms and halves of surrogate pairs are not UTF-8.
bool may_have(std::size_t length, char32_t character) {
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return character >= least[length] && character <= 0x10ffff && (character < 0xd800 || character > 0xdfff);
}

// Decodes a complete character.
char32_t character_of(std::string_view bytes) {
  const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  char32_t character = bytes.size() == 1 ? byte(0) : byte(0) & (0x7fU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) character = character << 6 | (byte(i) & 0x3fU);
  return character;
}

}  // namespace

std::u32string decoded(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const std::size_t length = length_by(static_cast<unsigned char>(text[0]));
    const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    if (length == 0 || length > text.size() ||
        !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), follows) ||
        !may_have(length, character_of(text.substr(0, length)))) {
      out += replacement;
      text.remove_prefix(1);
      continue;
    }
    out += character_of(text.substr(0, length));
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

bool disturbs_text(char32_t character) {
  const auto within = [character](char32_t first, char32_t last) { return character >= first && character <= last; };
  return within(0, 0x1f) || within(0x7f, 0x9f) || character == 0x061c || within(0x200e, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2066, 0x2069);
}

}  // namespace detent::tool
