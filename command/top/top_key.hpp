// SPDX-License-Identifier: MIT
#pragma once

namespace detent::tool {

// A key is a character or one of these.
enum top_key : char32_t {
  key_enter = U'\n',
  key_escape = 0x1b,
  key_backspace = 0x7f,
  key_up = 0x110000,  // greater than all characters
  key_down,
  key_left,
  key_right,
  key_page_up,
  key_page_down,
  key_home,
  key_end
};

}  // namespace detent::tool
