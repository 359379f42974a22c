// SPDX-License-Identifier: MIT
// Cuts a stream of bytes into lines, whatever pieces it comes in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wire {

class line_splitter {
 public:
  explicit line_splitter(std::size_t longest) : longest_(longest) {}

  // Calls on_line(std::string_view) for each line that is complete now, without its newline; empty ones are skipped.
  // For a line that is too long it calls on_too_long() once, and goes on after its newline.
  template <class Line, class TooLong>
  void feed(std::string_view bytes, Line&& on_line, TooLong&& on_too_long);

 private:
  std::size_t longest_;
  std::string begun_;  // of the line whose newline has not come yet
  bool skipping_ = false;
};

template <class Line, class TooLong>
void line_splitter::feed(std::string_view bytes, Line&& on_line, TooLong&& on_too_long) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const bool complete = newline != std::string_view::npos;
    std::string_view piece = bytes.substr(0, newline);
    bytes.remove_prefix(complete ? newline + 1 : bytes.size());

    if (!skipping_ && begun_.size() + piece.size() > longest_) {
      skipping_ = true;
      begun_.clear();
      on_too_long();
    }
    if (!skipping_ && !(complete && begun_.empty())) piece = begun_.append(piece);
    if (!complete) return;
    if (!skipping_) {
      if (piece.ends_with('\r')) piece.remove_suffix(1);
      if (!piece.empty()) on_line(piece);
    }
    begun_.clear();
    skipping_ = false;
  }
}

}  // namespace wire
