// SPDX-License-Identifier: MIT
// The datagrams, and their bytes: numbers are little-endian, and what does not fit a datagram exactly is none.
#pragma once

#include "match/input.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace game::wire {

inline constexpr std::size_t most_inputs = 4;

// Client to server: may I join?
struct hello {};
// Server to client: as this player, and with this key in each datagram.
struct welcome {
  std::uint64_t key = 0;
  std::uint8_t player = 0;
};
// Client to server: the newest inputs, the last of which has the number `newest`. Each goes out several times, so that
// a lost datagram costs nothing.
struct inputs {
  std::uint64_t key = 0;
  std::uint32_t newest = 0;
  std::vector<input> last;  // oldest first; `player` is the server's to fill in
};
// Client to server: I leave.
struct bye {
  std::uint64_t key = 0;
};
// Server to client: no player of mine has that key.
struct unknown {
  std::uint64_t key = 0;
};
// Server to all clients, once a tick.
struct snapshot {
  struct player_state {
    std::uint8_t number = 0, flags = 0, health = 0;
    std::int16_t x = 0, y = 0;
  };
  std::uint32_t frame = 0;
  bool paused = false;
  std::vector<player_state> players;
};

using datagram = std::variant<hello, welcome, inputs, bye, unknown, snapshot>;

// Replaces what is in `out`.
void encode(const datagram& of, std::vector<std::byte>& out);
// None: these bytes are no datagram of ours.
std::optional<datagram> decode(std::span<const std::byte> bytes);

}  // namespace game::wire
