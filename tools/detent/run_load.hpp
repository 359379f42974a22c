// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <ctime>
#include <vector>

#include "cpu_usage.hpp"
#include "finding.hpp"
#include "lateness_log.hpp"
#include "lateness_series.hpp"
#include "load_producer.hpp"
#include "machine_floor.hpp"
#include "pending_series.hpp"

namespace detent::tool {

struct load_outcome {
  load_counts counts;
  std::uint64_t fired = 0;
  std::uint64_t fired_early = 0;
  std::uint64_t pending_at_end = 0;
  lateness_log lateness;
  lateness_series over_time;
  machine_floor floor;  // measured right before and right after
  pending_series pending;
  engine_metrics metrics;         // of the engine, at the end
  std::vector<finding> findings;  // of the doctor, who looked before and after
  std::time_t began = 0;
  cpu_usage::reading cpu;
};

// Runs a synthetic load on an engine with a worker thread for options.length, and then stops it.
load_outcome run_load(const load_options& options);

}  // namespace detent::tool
