// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "host/cpu_usage.hpp"
#include "lateness/driver_evidence.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/lateness_series.hpp"
#include "lateness/machine_floor.hpp"
#include "lateness/pending_series.hpp"
#include "replay/live_trace.hpp"
#include "replay/replay_counts.hpp"

namespace detent::tool {

struct live_options {
  std::string trace;
  bool to_end = false;
  double speed = 1;
  wheel_kind wheel = wheel_kind::hierarchical;
  wait_options wait = wait_options::hybrid();
};

// A row that is applied later than this counts as late.
constexpr duration row_late_after = std::chrono::microseconds(50);

struct live_outcome {
  replay_counts counts;
  std::uint64_t rows_late = 0;
  std::uint64_t fired_early = 0;
  lateness_log row_lateness;  // of each row
  lateness_log lateness;      // of the timers that fired
  lateness_series over_time;  // the same in the course of the replay
  machine_floor floor;        // measured immediately before and after the replay
  pending_series pending;
  cpu_usage::reading cpu;
  driver_evidence evidence;       // of the worker
  engine_metrics metrics;         // at the end, of the engine that was used
  std::vector<finding> findings;  // the doctor's, from readings before and after
  std::time_t began = 0;
};

// Replays a trace in real time on an engine with a worker thread. The calling thread applies each row at its recorded
// instant. Throws input_error only before the replay begins.
live_outcome replay_live(const live_options& options);
// Replays a trace that was loaded before, without reading a file.
live_outcome replay_live(const live_options& options, const live_trace& trace);

}  // namespace detent::tool
