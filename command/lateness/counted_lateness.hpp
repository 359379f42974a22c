// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "counters/counters_snapshot.hpp"
#include "lateness/lateness_diagnosis.hpp"

namespace detent::tool {

// Returns the lateness between two readings of a counters file, or over an engine's life: `change` comes from since(),
// or is a whole reading. `pending` is the number of timers at the later reading, and `span` the time in between, in
// nanoseconds.
late_figures late_figures_of(const counters_snapshot& change, double pending, double span);

// Returns whether callbacks run on the threads of an executor.
bool hands_over(const counters_snapshot& snapshot);

// Returns by how many nanoseconds the earliest timer is overdue. 0 if none is, or if the file does not show it.
std::int64_t overdue_of(const counters_snapshot& snapshot);

}  // namespace detent::tool
