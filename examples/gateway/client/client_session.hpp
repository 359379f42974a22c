// SPDX-License-Identifier: MIT
// One client's connection: it trades, sends heartbeats, and watches what the gateway does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

#include "heartbeat_check.hpp"
#include "ledger.hpp"
#include "net/connection.hpp"
#include "wire/message.hpp"

namespace load {

class crowd;

class client_session final : public net::connection {
 public:
  // Connects and logs on. `place` is its place in the crowd.
  client_session(crowd& home, net::event_loop& loop, std::size_t place);

  // Logged on, and in no trouble.
  bool is_active() const { return state_ == state::active; }

  // Some order, cancel or replace.
  void trade(std::mt19937_64& chance);

  // Says nothing any more, until the gateway ends the session.
  void fall_silent();
  // Breaks the connection, with or without ceremony.
  void drop(bool with_reset);
  // Thousands of heartbeats, and orders that all expire at the same instant.
  void flood();
  // Lines that are no messages, and an order among them.
  void talk_nonsense();

 private:
  enum class state { logging_on, active, silent };

  void on_bytes() override {}
  void on_line(std::string_view line) override;
  void on_too_long() override;
  void on_lost(std::string_view why) override;

  void on_message(const wire::message& news);
  void on_logon();
  void on_heartbeat(const wire::message& news);
  void on_reject();
  void on_test_request(const wire::message& news);
  void on_logout(const wire::message& news);
  void place_order(std::mt19937_64& chance);
  void limit_order(wire::time_point expires, char side);
  wire::message_text say(wire::message_type type);
  void say_raw(std::string_view line);
  void note_said();
  // How long the gateway waits for a word.
  std::chrono::milliseconds silence_limit() const;
  void leave(std::optional<wire::time_point> broken);

  crowd& home_;
  std::size_t place_;
  session_number number_;
  state state_ = state::logging_on;
  detent::scoped_timer heartbeat_;
  heartbeat_check heartbeats_;
  order_number last_order_ = 0;
  std::uint64_t nonsense_open_ = 0;  // lines that have not been rejected yet
  wire::time_point last_said_{};
  std::chrono::nanoseconds longest_pause_{0};  // between two things said
  std::optional<wire::time_point> tested_;     // when a silent one got its test request
};

}  // namespace load
