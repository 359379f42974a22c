// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace detent {

// The place of a schedule call in its source. It is the last argument of each call, by default the place of the call;
// functions that schedule for others pass theirs on. (std::source_location is missing under clang 14.)
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
