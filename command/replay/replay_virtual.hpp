// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <cstdint>
#include <ctime>
#include <string>

#include "lateness/pending_series.hpp"
#include "replay/replay_counts.hpp"

namespace detent::tool {

struct virtual_options {
  std::string trace;
  bool to_end = false;
  wheel_kind wheel = wheel_kind::hierarchical;
};

struct virtual_outcome {
  replay_counts counts;
  std::uint64_t order_signature = 0;
  pending_series pending;   // up to the last row
  double wall_seconds = 0;  // the duration of the replay
  std::time_t began = 0;
};

// Replays a trace on the manual clock as fast as it can, row by row in bounded memory: it first fires everything due by
// a row's time and then applies the row. Throws input_error.
virtual_outcome replay_virtual(const virtual_options& options);

}  // namespace detent::tool
