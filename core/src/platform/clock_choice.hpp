// SPDX-License-Identifier: MIT
// The clock that clock_kind::automatic stands for, and why.
#pragma once

#include <detent/counters_layout.hpp>
#include <detent/options.hpp>

#include "platform/tsc_clock.hpp"

namespace detent::detail {

using counters_layout::clock_reason;

// The file in which Linux names the source of the system's own clock.
inline constexpr const char* clock_source_file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

struct clock_choice {
  tsc_clock* tsc;  // null for steady_clock or a manual clock
  clock_reason why;
};

// The TSC is chosen only if steady_clock is read from it as well: then the kernel has compared the counters of all
// cores and continues to watch them. `source_file` stands for clock_source_file.
clock_choice choose_clock(const engine_options& options, const char* source_file = clock_source_file) noexcept;

}  // namespace detent::detail
