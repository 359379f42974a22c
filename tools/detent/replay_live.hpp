// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <chrono>
#include <cstdint>
#include <string>

#include "cpu_usage.hpp"
#include "lateness_log.hpp"
#include "pending_series.hpp"
#include "replay_counts.hpp"

namespace detent::tool {

struct live_options {
  std::string trace;
  bool to_end = false;
  double speed = 1;
  wheel_kind wheel = wheel_kind::hierarchical;
  wait_options wait = wait_options::hybrid();
};

// A row applied later than this after its instant is counted as late.
constexpr duration row_late_after = std::chrono::microseconds(50);

struct live_outcome {
  replay_counts counts;
  std::uint64_t rows_late = 0;
  std::uint64_t fired_early = 0;
  lateness_log row_lateness;    // of every row
  lateness_log lateness;        // of the timers that fired
  lateness_log bare_spin_loop;  // measured right before the replay
  pending_series pending;
  cpu_usage::reading cpu;
};

// Replays a trace in real time on an engine with a worker thread: the calling thread applies each row at its recorded
// instant. Throws input_error before the replay begins, not during it.
live_outcome replay_live(const live_options& options);

}  // namespace detent::tool
