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

// Cuts a byte source into lines, ended by LF or CRLF, the last one perhaps by nothing. A line is refused as soon as it
// passes the limit, so that no input can make the reader grow.
class line_reader {
 public:
  static constexpr std::size_t longest_line = 4096;

  explicit line_reader(const std::string& path) : source_(path) {}

  // The next line without its ending, valid until the next call; none at the end. Throws stream_error.
  std::optional<std::string_view> next();
  // Number of the line that next() returned last, or was reading when it threw; the first is 1.
  std::uint64_t line_number() const { return line_number_; }
  // After a stream_error: how far into its line the reader had come.
  std::string_view partial() const { return partial_; }

 private:
  void keep(std::string_view piece);

  byte_source source_;
  std::span<const char> chunk_;
  std::string partial_;
  std::uint64_t line_number_ = 0;
};

}  // namespace detent::tool
