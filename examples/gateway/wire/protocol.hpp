// SPDX-License-Identifier: MIT
// The words of the protocol: FIX's tags and types as far as they go, tags from 5000 on for what FIX does not have.
#pragma once

#include <chrono>
#include <cstdint>

namespace wire {

enum class message_type : char {
  heartbeat = '0',
  test_request = '1',
  reject = '3',  // of a line that is no message, or of a message that cannot be
  logout = '5',
  report = '8',         // what became of an order: tag::execution
  cancel_reject = '9',  // of a cancel or replace that came too late
  logon = 'A',
  new_order = 'D',
  cancel_order = 'F',
  replace_order = 'G'
};

enum class tag : int {
  order_id = 11,  // a number, the client's own
  type = 35,
  order_type = 40,           // 1 market, 2 limit
  original_id = 41,          // the order that a cancel or replace is about
  sender = 49,               // the client's name
  sending_time = 52,         // times: nanoseconds of CLOCK_MONOTONIC
  side = 54,                 // 1 buy, 2 sell
  text = 58,                 // why
  transact_time = 60,        // when the report's event was decided
  heartbeat_interval = 108,  // milliseconds
  test_id = 112,
  expire_time = 126,
  execution = 150,
  drop_copy = 5001,      // Y: this session gets a copy of every report
  slot = 5002,           // the heartbeat's place on the grid
  missed = 5003,         // slots before it that had no heartbeat
  expiry_number = 5004,  // expiries of all sessions, counted in the order in which they fired
};

enum class execution : char {
  accepted = '0',
  cancelled = '4',
  replaced = '5',
  rejected = '8',
  expired = 'C',
  traded = 'F'
};

using time_point = std::chrono::steady_clock::time_point;  // CLOCK_MONOTONIC: common to all processes of a host

inline std::int64_t to_wire(time_point t) { return std::chrono::nanoseconds(t.time_since_epoch()).count(); }
inline time_point from_wire(std::int64_t ns) { return time_point(std::chrono::nanoseconds(ns)); }

}  // namespace wire
