// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "cpu_usage.hpp"
#include "lateness_log.hpp"
#include "load_producer.hpp"
#include "pending_series.hpp"

namespace detent::tool {

struct load_outcome {
  load_counts counts;
  std::uint64_t fired = 0;
  std::uint64_t fired_early = 0;
  std::uint64_t pending_at_end = 0;
  lateness_log lateness;
  lateness_log bare_spin_loop;  // measured right before
  pending_series pending;
  cpu_usage::reading cpu;
};

// Runs a synthetic load on an engine with a worker thread for options.length, and then stops it.
load_outcome run_load(const load_options& options);

}  // namespace detent::tool
