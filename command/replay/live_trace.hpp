// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/trace_row.hpp"

namespace detent::tool {

// A trace made ready for real time: read and checked as a whole, so that neither unpacking nor a malformed row can hold
// up a replay; 24 bytes a row. Instants are already divided by the speed.
struct live_trace {
  struct row {
    std::int64_t at_ns;        // since the replay's start
    std::int64_t deadline_ns;  // likewise; of S and R rows
    std::uint32_t timer;       // which of the trace's ids, numbered from 0
    trace_op op;
  };

  std::vector<row> rows;
  std::size_t timers = 0;     // how many different ids
  std::uint64_t span_ns = 0;  // t_ns of the last row, unscaled
  std::uint64_t dropped = 0;  // operations that are missing, by the trace's own account
};

// Throws input_error. `speed` is positive: 2 means twice as fast as recorded, delays included. Rows after `longest` of
// the replay are left out, unread.
live_trace load_live_trace(const std::string& path, double speed, duration longest = (duration::max)());

}  // namespace detent::tool
