// SPDX-License-Identifier: MIT
// A client, as the server knows it.
#pragma once

#include "net/udp_socket.hpp"

#include <detent/detent.hpp>

#include <cstdint>
#include <map>

namespace game {

struct session {
  int player = 0;
  std::uint64_t key = 0;
  std::uint32_t newest = 0;         // the number of the last input taken
  std::uint32_t taken_in_tick = 0;  // since the last tick
  bool away = false;
  detent::scoped_timer silence;  // restarted by each datagram
};

using session_table = std::map<endpoint, session>;

}  // namespace game
