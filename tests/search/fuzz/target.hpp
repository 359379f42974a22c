// SPDX-License-Identifier: MIT
// Every fuzz target has one function for one input. It returns 0, or ends the program with a line that says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace detent::fuzz {

// Ends the program if a property does not hold.
inline void require(bool holds, const char* property, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s: %s\n", property, what.c_str());
  std::abort();
}

// A text that may be shown to a user is one line, and nothing in it moves a terminal's cursor.
inline void require_one_line(const char* text) {
  require(text[0] != '\0', "a message says something", "");
  for (const char* at = text; *at != '\0'; ++at) {
    const auto byte = static_cast<unsigned char>(*at);
    require(byte >= 0x20 && byte != 0x7f, "a message is one line of printable characters", text);
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

}  // namespace detent::fuzz
