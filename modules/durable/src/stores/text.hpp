// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace detent::durable::detail {

// Returns the length of the UTF-8 character at the beginning, or 0 if there is none.
inline std::size_t length_of_character(std::string_view at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const unsigned char first = byte(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || at.size() < length) return 0;
  for (std::size_t i = 1; i != length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Refuses overlong forms, surrogates, and characters beyond the last one.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

// Returns whether it is UTF-8 without a zero byte.
inline bool is_text(std::string_view its) noexcept {
  while (!its.empty()) {
    const std::size_t length = length_of_character(its);
    if (length == 0) return false;
    its.remove_prefix(length);
  }
  return true;
}

}  // namespace detent::durable::detail
