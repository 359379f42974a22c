// SPDX-License-Identifier: MIT
#include "text/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace detent::tool {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view part = bytes.substr(at, 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i != 3; ++i)
      group = group << 8 | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0U);
    for (std::size_t i = 0; i != 4; ++i) out += i <= part.size() ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t group = 0;
    for (const char c : text.substr(at, 4)) {
      const std::size_t digit = digits.find(c);
      group = group << 6 | static_cast<std::uint32_t>(digit == std::string_view::npos ? 0 : digit);
    }
    for (const int shift : {16, 8, 0}) out += static_cast<char>(group >> shift & 255);
  }
  if (text.ends_with("==")) out.pop_back();
  if (text.ends_with('=') && !out.empty()) out.pop_back();
  // Refuses a text that was cut, or that has another character or stray bits.
  return base64(out) == text ? std::optional(out) : std::nullopt;
}

}  // namespace detent::tool
