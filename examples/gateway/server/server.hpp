// SPDX-License-Identifier: MIT
// The listener and the sessions it has let in.
#pragma once

#include <detent/detent.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "net/event_loop.hpp"
#include "order_book.hpp"

namespace gateway {

class session;

class server final : public net::event_handler {
 public:
  // Listens on 127.0.0.1; port 0: any free one.
  server(net::event_loop& loop, std::uint16_t port, std::size_t most_sessions);
  ~server() override;

  std::uint16_t port() const;
  // Logs everybody out.
  void close(std::string_view why);
  // Returns a summary in a few lines, to be called at the end, when no session is left.
  std::string account() const;
  bool balances() const;

  // For sessions.
  order_book& book() { return book_; }
  detent::label heartbeat_label() const { return heartbeat_; }
  detent::label silence_label() const { return silence_; }
  void count_missed(std::uint64_t slots) { missed_slots_ += slots; }
  void count_dead() { ++dead_; }
  void count_reject() { ++rejects_; }
  void let_go(session& ended);

 private:
  void on_events(std::uint32_t events) override;
  void admit(net::descriptor socket);
  void pause_listening(int problem);

  net::event_loop& loop_;
  net::descriptor listener_;
  std::size_t most_sessions_;
  order_book book_;
  detent::label heartbeat_;
  detent::label silence_;
  std::unordered_map<session*, std::unique_ptr<session>> sessions_;
  std::uint64_t admitted_ = 0, turned_away_ = 0, dead_ = 0, rejects_ = 0, missed_slots_ = 0;
};

}  // namespace gateway
