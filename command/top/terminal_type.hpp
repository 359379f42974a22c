// SPDX-License-Identifier: MIT
#pragma once

namespace detent::tool {

enum class terminal_type { unknown, cannot_be_drawn_on, full_screen };

// Goes by the description of the type in TERM. Nothing can be drawn on a terminal that prints on paper or cannot move
// its cursor. To be called before ncurses takes over the terminal, because ncurses leaks memory if it cannot do that.
terminal_type ask_terminal_type();

}  // namespace detent::tool
