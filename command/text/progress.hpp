// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace detent::tool {

// A line on stderr that is overwritten again and again, and is erased at the end. Does nothing unless stderr is a
// terminal.
class progress_line {
 public:
  progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line();

  bool visible() const { return visible_; }
  void show(std::string_view text);

 private:
  bool visible_;
  bool shown_ = false;
};

// Shows, ten times a second until it is destroyed, the text that `text` returns. `text` is called by a thread of its
// own.
class background_progress {
 public:
  explicit background_progress(std::function<std::string()> text);

 private:
  progress_line line_;
  std::jthread thread_;
};

}  // namespace detent::tool
