// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "counters/counters_snapshot.hpp"
#include "lateness/lateness_diagnosis.hpp"

namespace detent::tool {

// The lateness between two readings of a counters file, or over an engine's life: `change` is by since(), or the whole
// reading. `pending`: timers at the later one. `span`: the time between them, in nanoseconds.
late_figures late_figures_of(const counters_snapshot& change, double pending, double span);

// How overdue the earliest timer is, in nanoseconds. 0 if none is, or if the file does not show it.
std::int64_t overdue_of(const counters_snapshot& snapshot);

}  // namespace detent::tool
