// SPDX-License-Identifier: MIT
#include "text/printable_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>

#include "text/utf8_text.hpp"

namespace detent::tool {
namespace {

// Returns the length of the printable character at the beginning, or 0 if there is none.
std::size_t printable_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f && byte(0) != '\\' ? 1 : 0;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  std::uint32_t character = byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    character = character << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  return character < least[length] || surrogate || character > 0x10ffff || disturbs_text(character) ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_bytes(text);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::optional<std::string> bytes_of(std::string_view printed) {
  std::string out;
  while (!printed.empty()) {
    std::size_t length = 1;
    if (printed.front() != '\\') {
      out += printed.front();
    } else if (printed.starts_with("\\\\")) {
      out += '\\';
      length = 2;
    } else {
      unsigned char byte = 0;
      const std::string_view digits = printed.substr(0, 4);
      const char* const end = digits.data() + digits.size();
      if (!digits.starts_with("\\x") || digits.size() != 4 ||
          std::from_chars(digits.data() + 2, end, byte, 16).ptr != end)
        return {};
      out += static_cast<char>(byte);
      length = 4;
    }
    printed.remove_prefix(length);
  }
  return out;
}

}  // namespace detent::tool
