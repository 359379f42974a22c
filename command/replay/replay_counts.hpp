// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace detent::tool {

// Counts a trace's rows by their outcome, in virtual and in real time alike.
struct replay_counts {
  std::uint64_t rows = 0;
  std::uint64_t scheduled = 0;  // S and R rows for an id that was not pending
  std::uint64_t restarted = 0;  // S and R rows for an id that was pending
  std::uint64_t cancelled = 0;
  std::uint64_t late_cancels = 0;  // C rows for an id that was not pending
  std::uint64_t fired = 0;
  std::uint64_t pending_at_last_row = 0;
  std::uint64_t span_ns = 0;  // t_ns of the last row
  std::uint64_t dropped = 0;  // number of missing operations, as the trace says
};

}  // namespace detent::tool
