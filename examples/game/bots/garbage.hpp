// SPDX-License-Identifier: MIT
// Sends a server what no client of its would: random bytes, half a datagram, and another's key.
#pragma once

#include "bots/bot.hpp"

namespace game {

class garbage_source {
 public:
  // None, if world.wrong.garbage is 0.
  explicit garbage_source(bot_world& world);
  garbage_source(const garbage_source&) = delete;
  garbage_source& operator=(const garbage_source&) = delete;

 private:
  void send_one();

  bot_world& world_;
  udp_socket socket_;
  std::vector<std::byte> bytes_;
};

}  // namespace game
