// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/trace_row.hpp"

namespace detent::tool {

// A trace that is ready for real time: it was read and checked as a whole, so that neither unpacking nor a malformed
// row can delay a replay. It takes 24 bytes a row, and its instants are already divided by the speed.
struct live_trace {
  struct row {
    std::int64_t at_ns;        // since the replay's start
    std::int64_t deadline_ns;  // since the replay's start; for S and R rows
    std::uint32_t timer;       // the number of the trace's id, from 0
    trace_op op;
  };

  std::vector<row> rows;
  std::size_t timers = 0;     // number of different ids
  std::uint64_t span_ns = 0;  // t_ns of the last row, not scaled
  std::uint64_t dropped = 0;  // number of missing operations, as the trace says
};

// Throws input_error. `speed` must be positive: 2 means twice as fast as recorded, including delays. Rows later than
// `longest` into the replay are left unread.
live_trace load_live_trace(const std::string& path, double speed, duration longest = (duration::max)());

}  // namespace detent::tool
