// SPDX-License-Identifier: MIT
// A client that plays: goes for the nearest enemy, strikes, raises its shield when hurt.
#pragma once

#include "bots/faults.hpp"
#include "net/durations.hpp"
#include "net/event_loop.hpp"
#include "net/udp_socket.hpp"
#include "net/wire.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace game {

// Shared by all bots of one program.
struct bot_world {
  event_loop& loop;
  endpoint server;
  faults wrong;
  std::mt19937_64 random;
  bot_counts counts;
  // For the first bot: by how much the time between the snapshots of two frames differs from a frame.
  durations snapshot_jitter;

  bool by_chance(double percent) { return static_cast<double>(random() % 1'000'000) < percent * 10'000; }
};

class bot {
 public:
  // `number` of `count`: they take turns within the time between two inputs of one.
  bot(bot_world& world, int number, int count);
  bot(const bot&) = delete;
  bot& operator=(const bot&) = delete;
  void leave();

 private:
  using seen_player = wire::snapshot::player_state;

  void on_turn();
  input next_input();
  input play();
  input wander();
  const seen_player* nearest_enemy(const seen_player& me) const;

  void on_readable();
  void on_snapshot(wire::snapshot&& now);
  // With the faults that a network would add.
  void send(const wire::datagram& what);

  bot_world& world_;
  const int number_;
  udp_socket socket_;
  std::optional<wire::welcome> session_;  // none: not joined
  wire::inputs inputs_;
  wire::snapshot seen_;
  detent::time_point last_seen_{}, last_sent_{}, silent_until_{};
  std::uint64_t turns_ = 0;
  std::vector<std::byte> encoded_;
};

}  // namespace game
