// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <ctime>
#include <vector>

#include "doctor/finding.hpp"
#include "host/cpu_usage.hpp"
#include "lateness/driver_evidence.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/lateness_series.hpp"
#include "lateness/machine_floor.hpp"
#include "lateness/pending_series.hpp"
#include "run/load_producer.hpp"

namespace detent::tool {

struct load_outcome {
  load_counts counts;
  std::uint64_t fired = 0;
  std::uint64_t fired_early = 0;
  std::uint64_t pending_at_end = 0;
  duration length{};  // shorter than asked for if a signal ended it
  lateness_log lateness;
  lateness_series over_time;
  machine_floor floor;  // measured immediately before and after
  pending_series pending;
  driver_evidence evidence;       // of the worker
  engine_metrics metrics;         // at the end
  std::vector<finding> findings;  // the doctor's, from readings before and after
  std::time_t began = 0;
  cpu_usage::reading cpu;
};

// Runs a synthetic load on an engine with a worker thread for options.length, or until SIGINT or SIGTERM, and then
// stops the engine.
load_outcome run_load(const load_options& options);

}  // namespace detent::tool
