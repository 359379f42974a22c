// SPDX-License-Identifier: MIT
#pragma once

#include "event_loop.hpp"

namespace net {

// SIGTERM and SIGINT as an event of the loop. Made before any thread, so that all of them leave these signals alone.
class stop_signals final : public event_handler {
 public:
  explicit stop_signals(event_loop& loop);
  bool came() const { return came_; }

 private:
  void on_events(std::uint32_t) override { came_ = true; }

  descriptor signals_;
  bool came_ = false;
};

}  // namespace net
