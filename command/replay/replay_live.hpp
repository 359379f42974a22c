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

// A row applied later than this after its instant is counted as late.
constexpr duration row_late_after = std::chrono::microseconds(50);

struct live_outcome {
  replay_counts counts;
  std::uint64_t rows_late = 0;
  std::uint64_t fired_early = 0;
  lateness_log row_lateness;  // of every row
  lateness_log lateness;      // of the timers that fired
  lateness_series over_time;  // likewise
  machine_floor floor;        // measured right before the replay and right after
  pending_series pending;
  cpu_usage::reading cpu;
  driver_evidence evidence;       // of the worker
  engine_metrics metrics;         // of the replay's engine, at the end
  std::vector<finding> findings;  // of the doctor, from readings before and after
  std::time_t began = 0;
};

// Replays a trace in real time on an engine with a worker thread: the calling thread applies each row at its recorded
// instant. Throws input_error before the replay begins, not during it.
live_outcome replay_live(const live_options& options);
// Replays a trace that is loaded already, and reads no file.
live_outcome replay_live(const live_options& options, const live_trace& trace);

}  // namespace detent::tool
