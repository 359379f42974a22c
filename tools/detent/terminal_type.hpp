// SPDX-License-Identifier: MIT
#pragma once

namespace detent::tool {

// Whether the description of the terminal that ncurses has in use says how its cursor is moved.
bool terminal_moves_cursor();

}  // namespace detent::tool
