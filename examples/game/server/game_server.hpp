// SPDX-License-Identifier: MIT
// A match for clients on the network. The loop's engine keeps real time: when a tick is due, and which client has been
// silent for how long. Whatever that leads to enters the match as an input, so the log of inputs is all there is to
// know of it.
#pragma once

#include "match/match.hpp"
#include "match/match_log.hpp"
#include "net/event_loop.hpp"
#include "net/udp_socket.hpp"
#include "net/wire.hpp"
#include "server/server_counts.hpp"
#include "server/session.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

namespace game {

inline constexpr auto away_after = 750ms;        // of silence
inline constexpr auto throw_out_after = 1500ms;  // more

struct server_options {
  std::uint16_t port = 0;
  int players = most_players;
  std::uint64_t seed = 1;
  std::uint64_t catch_up = 3;         // most frames that a tick runs for those that were missed
  std::uint32_t inputs_per_tick = 6;  // of a player
};

class game_server {
 public:
  // `log` and `result` outlive it.
  game_server(event_loop& loop, const server_options& options, std::ostream& log, std::ostream& result);
  std::uint16_t port() const { return socket_.port(); }
  // A last frame, for the inputs that wait, and the end of the log. Nothing may happen to the match afterwards.
  void finish();

  server_counts& counts() noexcept { return counts_; }
  const match& played() const noexcept { return match_; }

 private:
  void on_tick(detent::firing& tick);
  void run_one_frame();
  void send_snapshots();

  void on_readable();
  void on_datagram(const udp_socket::received& datagram);
  void on_hello(const endpoint& from);
  void on_inputs(const endpoint& from, wire::inputs& sent);
  void on_bye(const endpoint& from, const wire::bye& sent);
  // Null: no client from there has that key; the sender gets that answer.
  session* known(const endpoint& from, std::uint64_t key);
  void take_new(session& of, wire::inputs& sent);

  void on_silence(const endpoint& of, detent::firing& end);
  void heard(session& of);
  void leave(session_table::iterator who);
  int free_number() const;
  void send(const endpoint& to, const wire::datagram& what);

  event_loop& loop_;
  const server_options options_;
  udp_socket socket_;
  match match_;
  log_writer log_;
  std::vector<input> inputs_;  // of the next frame
  session_table sessions_;
  detent::time_point absent_until_{};  // when the last tick came that stood for others, too
  std::random_device keys_;
  std::vector<std::byte> encoded_;
  server_counts counts_;
};

}  // namespace game
