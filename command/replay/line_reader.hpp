// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "replay/byte_source.hpp"

namespace detent::tool {

// Divides a byte source into lines, which end with LF or CRLF; the last one may lack both. A line is refused as soon as
// it exceeds the limit, so that no input can make the reader grow.
class line_reader {
 public:
  static constexpr std::size_t longest_line = 4096;

  explicit line_reader(const std::string& path) : source_(path) {}

  // Returns the next line without its ending, valid until the next call, or nothing at the end. Throws stream_error.
  std::optional<std::string_view> next();
  // The number, from 1, of the line that next() has returned last, or was reading when it threw.
  std::uint64_t line_number() const { return line_number_; }
  // After a stream_error, the part of the line that was read.
  std::string_view partial() const { return partial_; }

 private:
  void keep(std::string_view piece);

  byte_source source_;
  std::span<const char> chunk_;
  std::string partial_;
  std::uint64_t line_number_ = 0;
};

}  // namespace detent::tool
