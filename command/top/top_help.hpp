// SPDX-License-Identifier: MIT
#pragma once
#include "top/screen_grid.hpp"

namespace detent::tool {

// The keys and what the words on the screen mean, on the whole screen.
void draw_help(screen_grid& grid);

}  // namespace detent::tool
