// SPDX-License-Identifier: MIT
#pragma once

namespace detent::tool {

enum class terminal_type { unknown, cannot_be_drawn_on, full_screen };

// By the description of the type that TERM names; what prints on paper or does not move its cursor cannot be drawn on.
// To be asked before ncurses takes the terminal: where it cannot take it, it leaks memory.
terminal_type ask_terminal_type();

}  // namespace detent::tool
