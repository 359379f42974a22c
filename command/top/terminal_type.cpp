// SPDX-License-Identifier: MIT
// Apart from the rest, as <term.h> makes macros of some hundred plain names.
#include "top/terminal_type.hpp"

#include <ncurses.h>
#include <unistd.h>
// <term.h> must come after it.
#include <term.h>

namespace detent::tool {

terminal_type ask_terminal_type() {
  int found = 0;  // without a place for the error, setupterm() would print it and exit
  if (::setupterm(nullptr, STDOUT_FILENO, &found) != OK)
    return found == 1 ? terminal_type::cannot_be_drawn_on : terminal_type::unknown;
  const bool moves_cursor = ::tigetstr("cup") != nullptr;
  ::del_curterm(cur_term);
  return moves_cursor ? terminal_type::full_screen : terminal_type::cannot_be_drawn_on;
}

}  // namespace detent::tool
