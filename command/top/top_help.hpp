// SPDX-License-Identifier: MIT
#pragma once
#include "top/screen_grid.hpp"

namespace detent::tool {

// Explains the keys and the words on the screen, on the whole screen.
void draw_help(screen_grid& grid);

}  // namespace detent::tool
