// SPDX-License-Identifier: MIT
// How late things were: in the gateway, by the stamps in its messages, and here, when they arrived.
#pragma once

#include "samples.hpp"
#include "wire/protocol.hpp"

namespace load {

struct measurements {
  samples heartbeat_fired, heartbeat_arrived;
  samples expiry_fired, expiry_arrived;
  samples frozen;     // what was due while the gateway was stopped, or shortly before or after
  samples cancelled;  // from the break of a connection to the cancellation of its orders

  void begin() { on_ = true; }
  // The gateway is stopped from now on; it goes on now.
  void freeze(wire::time_point now) { frozen_from_ = now - margin, frozen_until_ = wire::time_point::max(); }
  void thaw(wire::time_point now) { frozen_until_ = now + margin; }

  void heartbeat(wire::time_point due, wire::time_point fired, wire::time_point arrived);
  void expiry(wire::time_point due, wire::time_point fired);
  void expiry_news(wire::time_point due, wire::time_point arrived);

 private:
  static constexpr std::chrono::milliseconds margin{500};

  bool is_of_a_freeze(wire::time_point due) const { return due >= frozen_from_ && due <= frozen_until_; }

  bool on_ = false;
  wire::time_point frozen_from_{}, frozen_until_{};
};

}  // namespace load
