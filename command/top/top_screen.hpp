// SPDX-License-Identifier: MIT
// The screen of `detent top`, drawn from what the model knows.
#pragma once
#include <cstddef>
#include <string>

#include "top/screen_grid.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

// The user's choices, and everything that is shown but not in the model.
struct top_view {
  std::string time = {};     // time of day of the last reading
  double delay = 1;          // seconds between two readings
  std::size_t scrolled = 0;  // number of columns left out after the first two
  bool detail = true;        // shows the selected engine
  bool help = false;         // shows the help instead of everything else
  std::string prompt = {};   // a question in the last line, or empty
  std::string message = {};  // shown in the last line if there is no question
  std::string where = {};    // where engines are searched for, in words
};

inline constexpr std::size_t least_width = 40, least_height = 6;

screen_grid draw_top(const top_model& model, const top_view& view, std::size_t width, std::size_t height, bool unicode);
// For a pipe or a file: shows every engine and column, in as many lines as that takes.
std::string top_text(const top_model& model, const top_view& view, bool unicode);

}  // namespace detent::tool
