// SPDX-License-Identifier: MIT
// The clock that clock_kind::automatic stands for, and why.
#pragma once

#include <detent/options.hpp>

#include "platform/clock_source.hpp"
#include "platform/tsc_clock.hpp"

namespace detent::detail {

struct clock_choice {
  tsc_clock* tsc;  // null for steady_clock or a manual clock
  clock_reason why;
};

// The TSC is chosen only if steady_clock is read from it as well: then the kernel has compared the counters of all
// cores and continues to watch them. `source_file` is the file in which the kernel names its clock source.
clock_choice choose_clock(const engine_options& options, const char* source_file = clock_source_file) noexcept;

}  // namespace detent::detail
