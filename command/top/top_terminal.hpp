// SPDX-License-Identifier: MIT
// The terminal under `detent top`, by way of ncurses.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "top/screen_grid.hpp"

namespace detent::tool {

// While it exists, the terminal is a screen, and the signals that end a program wait to be read; then all is as it
// was. At most one at a time.
class top_terminal {
 public:
  // Throws input_error unless standard input and output are a terminal.
  static void require_terminal();
  // Throws input_error if it cannot be drawn on.
  top_terminal();
  top_terminal(const top_terminal&) = delete;
  top_terminal& operator=(const top_terminal&) = delete;
  ~top_terminal();

  std::size_t width() const;
  std::size_t height() const;
  void show(const screen_grid& grid);

  struct event {
    std::vector<char32_t> keys;  // characters, or of top_key
    bool resized = false;
    int ending_signal = 0;  // 0: none; SIGHUP also if the terminal is gone
  };
  // Waits until something happens, at most this long.
  event wait(std::int64_t nanoseconds);

 private:
  class taken_signals;
  class curses_screen;

  std::unique_ptr<taken_signals> signals_;
  std::unique_ptr<curses_screen> screen_;
};

}  // namespace detent::tool
