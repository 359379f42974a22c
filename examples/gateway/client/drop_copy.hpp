// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "crowd.hpp"
#include "net/connection.hpp"

namespace load {

// The session that gets a copy of every report, and holds it against the ledger.
class drop_copy final : public net::connection {
 public:
  drop_copy(crowd& watched, net::event_loop& loop);
  bool is_on() const { return on_; }

 private:
  void on_bytes() override {}
  void on_line(std::string_view line) override;
  void on_too_long() override { on_lost("a line without end"); }
  void on_lost(std::string_view why) override;

  crowd& watched_;
  detent::scoped_timer heartbeat_;
  bool on_ = false;
};

}  // namespace load
