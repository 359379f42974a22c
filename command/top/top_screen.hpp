// SPDX-License-Identifier: MIT
// The screen of `detent top`, drawn from what the model knows.
#pragma once
#include <cstddef>
#include <string>

#include "top/screen_grid.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

// The user's choices of what to see, and all that is shown but not in the model.
struct top_view {
  std::string time = {};     // of day, of the last reading
  double delay = 1;          // seconds from one reading to the next
  std::size_t scrolled = 0;  // columns of the table, after the first two, that are left out
  bool detail = true;        // of the selected engine
  bool help = false;         // instead of all else
  std::string prompt = {};   // what is asked for in the last line; empty: nothing
  std::string message = {};  // in the last line, if nothing is asked for
  std::string where = {};    // what is searched for engines, in words
};

inline constexpr std::size_t least_width = 40, least_height = 6;

screen_grid draw_top(const top_model& model, const top_view& view, std::size_t width, std::size_t height, bool unicode);
// For a pipe or a file: every engine and column, as many lines as they take.
std::string top_text(const top_model& model, const top_view& view, bool unicode);

}  // namespace detent::tool
