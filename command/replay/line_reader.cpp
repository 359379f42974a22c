// SPDX-License-Identifier: MIT
#include "replay/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace detent::tool {
namespace {

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

void line_reader::keep(std::string_view piece) {
  partial_.append(piece.substr(0, longest_line + 1 - std::min(partial_.size(), longest_line)));
  if (without_return(partial_).size() > longest_line) {
    throw stream_error(fmt::format("the line is longer than {} characters", longest_line));
  }
}

std::optional<std::string_view> line_reader::next() {
  ++line_number_;
  partial_.clear();
  for (;;) {
    if (chunk_.empty()) {
      chunk_ = source_.next();
      if (chunk_.empty()) {
        if (partial_.empty()) return std::nullopt;
        return without_return(partial_);
      }
    }
    const void* end = std::memchr(chunk_.data(), '\n', chunk_.size());
    if (end == nullptr) {
      const std::string_view piece(chunk_.data(), chunk_.size());
      chunk_ = {};
      keep(piece);
      continue;
    }
    const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - chunk_.data());
    const std::string_view piece(chunk_.data(), length);
    chunk_ = chunk_.subspan(length + 1);
    if (partial_.empty() && piece.size() <= longest_line) return without_return(piece);
    keep(piece);
    return without_return(partial_);
  }
}

}  // namespace detent::tool
