// SPDX-License-Identifier: MIT
// One client's session: logon, heartbeats, silence, orders, the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "net/connection.hpp"
#include "order.hpp"
#include "wire/message.hpp"

namespace gateway {

class server;

class session final : public net::connection {
 public:
  session(server& home, net::event_loop& loop, net::descriptor socket);

  // Sends the client the reason, and ends: no timer of the session fires any more, its orders are cancelled.
  void log_out(std::string_view why);

 private:
  void on_bytes() override;
  void on_line(std::string_view line) override;
  void on_too_long() override;
  void on_lost(std::string_view why) override;

  void on_message(const wire::message& request);
  void on_logon(const wire::message& request);
  void on_heartbeat_due(const detent::firing& run);
  void on_silence(detent::firing& run);
  void reject(std::string_view why);
  void finish(std::string_view why);

  server& home_;
  trader trader_;
  std::chrono::milliseconds interval_{0};  // of heartbeats; zero before the logon
  detent::timer silence_;
  std::uint64_t tests_ = 0;
  bool test_is_open_ = false;  // a test request was sent, and nothing came since
};

}  // namespace gateway
