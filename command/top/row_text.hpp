// SPDX-License-Identifier: MIT
// The parts of a row that are shown as words.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "top/top_row.hpp"

namespace detent::tool {

std::string age_text(double ns);                // "12 s", "3 min 4 s", "5 h 6 min", "7 d 8 h"
std::string options_of(const top_row& row);     // the engine's options in a line
std::string failures_of(const top_row& row);    // counts since then that should be zero; empty if they are
std::string last_error_of(const top_row& row);  // empty if no callback has thrown
// Says in lines of at most `width` columns why timers are late and what helps. No lines if they are not very late.
std::vector<std::string> why_late_of(const top_row& row, std::size_t width);

}  // namespace detent::tool
