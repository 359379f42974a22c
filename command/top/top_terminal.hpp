// SPDX-License-Identifier: MIT
// The terminal under `detent top`, by way of ncurses.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "top/screen_grid.hpp"

namespace detent::tool {

// As long as it exists, the terminal is a screen, and signals that end a program wait to be read. Afterwards everything
// is restored. Only one may exist at a time.
class top_terminal {
 public:
  // Throws input_error unless standard input and output are a terminal.
  static void require_terminal();
  // Throws input_error if nothing can be drawn on it.
  top_terminal();
  top_terminal(const top_terminal&) = delete;
  top_terminal& operator=(const top_terminal&) = delete;
  ~top_terminal();

  std::size_t width() const;
  std::size_t height() const;
  void show(const screen_grid& grid);

  struct event {
    std::vector<char32_t> keys;  // characters, or values of top_key
    bool resized = false;
    int ending_signal = 0;  // 0 if there is none; SIGHUP also if the terminal is gone
  };
  // Waits for at most `nanoseconds` until something happens.
  event wait(std::int64_t nanoseconds);

 private:
  class taken_signals;
  class curses_screen;

  std::unique_ptr<taken_signals> signals_;
  std::unique_ptr<curses_screen> screen_;
};

}  // namespace detent::tool
