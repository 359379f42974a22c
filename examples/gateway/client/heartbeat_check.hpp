// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "findings.hpp"
#include "wire/protocol.hpp"

namespace load {

// The contents of a heartbeat.
struct heartbeat {
  wire::time_point slot;   // its place on the grid
  wire::time_point fired;  // when the gateway sent it off
  std::uint64_t missed;    // slots skipped since the one before
  wire::time_point arrived;
};

// Holds the heartbeats of one session against the grid: none before its slot, each slot at most once, every gap
// reported, and no burst: the next one's slot comes after the moment at which the one before was sent.
class heartbeat_check {
 public:
  heartbeat_check(findings& found, std::chrono::milliseconds interval) : found_(found), interval_(interval) {}
  void look_at(const heartbeat& next, std::uint64_t session);

 private:
  findings& found_;
  std::chrono::milliseconds interval_;
  std::optional<heartbeat> last_;
};

}  // namespace load
