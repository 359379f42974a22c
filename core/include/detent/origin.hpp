// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace detent {

// Where a schedule call stands in its source: the last argument of each, by default the place of the call. To be passed
// on by functions that schedule for others. (std::source_location is missing under clang 14.)
class origin {
 public:
  static constexpr origin current(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) noexcept {
    return {file, line};
  }
  static constexpr origin unknown() noexcept { return {nullptr, 0}; }
  constexpr const char* file() const noexcept { return file_; }
  constexpr std::uint32_t line() const noexcept { return line_; }

 private:
  constexpr origin(const char* file, std::uint32_t line) noexcept : file_(file), line_(line) {}
  const char* file_;
  std::uint32_t line_;
};

}  // namespace detent
