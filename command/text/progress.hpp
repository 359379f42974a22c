// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace detent::tool {

// One line on stderr that is written over again and again, and is gone at the end. Nothing at all unless stderr is a
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

// Shows what `text` returns ten times a second, from a thread of its own, until destroyed. `text` must be callable
// there.
class background_progress {
 public:
  explicit background_progress(std::function<std::string()> text);

 private:
  progress_line line_;
  std::jthread thread_;
};

}  // namespace detent::tool
