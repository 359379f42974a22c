// SPDX-License-Identifier: MIT
// The words of commands, until these are sent.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory_resource>
#include <string_view>

namespace detent::durable::redis {

// Hands out bytes that stay in place as long as the arena lives.
class arena {
 public:
  char* room(std::size_t bytes) { return static_cast<char*>(from_.allocate(bytes, 1)); }

  std::string_view copy(std::string_view text) {
    char* const from = room(text.size());
    std::copy(text.begin(), text.end(), from);
    return {from, text.size()};
  }

  std::string_view number(std::int64_t value) {
    constexpr std::size_t longest = 20;
    char* const from = room(longest);
    return {from, static_cast<std::size_t>(std::to_chars(from, from + longest, value).ptr - from)};
  }
  std::string_view number(std::uint64_t value) { return number(static_cast<std::int64_t>(value)); }

  // Stores the lowest `bytes` bytes of the value, beginning with the lowest.
  std::string_view bytes_of(std::uint64_t value, std::size_t bytes) {
    char* const from = room(bytes);
    write(from, value, bytes);
    return {from, bytes};
  }
  static void write(char* to, std::uint64_t value, std::size_t bytes) noexcept {
    for (std::size_t i = 0; i != bytes; ++i) to[i] = static_cast<char>(value >> (8 * i));
  }

 private:
  std::pmr::monotonic_buffer_resource from_{1 << 15};
};

}  // namespace detent::durable::redis
