// SPDX-License-Identifier: MIT
// Apart from the rest, as <term.h> makes macros of some hundred plain names.
#include "terminal_type.hpp"

#include <ncurses.h>
// After it.
#include <term.h>

namespace detent::tool {

bool terminal_moves_cursor() { return ::tigetstr("cup") != nullptr; }

}  // namespace detent::tool
