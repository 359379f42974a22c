// SPDX-License-Identifier: MIT
// What reaches a match from outside: the wishes of players, and what the server found out about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace game {

enum class action : std::uint8_t {
  move,    // first, second: the direction along each axis, -1, 0 or 1
  strike,  // first: the player it is meant for
  shield,
  pause,
  resume,
  join,  // these four only the server makes
  away,  // silent for a while: the player's timers are paused
  back,  // heard again
  leave
};

struct input {
  int player = 0;
  action what = action::move;
  int first = 0;
  int second = 0;

  friend bool operator==(const input&, const input&) = default;
};

// Returns whether the input makes sense: existing players and directions, and zeros in unused fields.
bool is_possible(const input& of) noexcept;
// Returns whether a client may ask for it.
bool is_of_a_client(action what) noexcept;

// "3 move -1 0", as a match's log has it, and back; none if the text is no possible input.
std::string to_text(const input& of);
std::optional<input> input_from(std::string_view text);

}  // namespace game
