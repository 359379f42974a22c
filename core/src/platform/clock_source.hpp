// SPDX-License-Identifier: MIT
// The source from which the system's own clock is read.
#pragma once

#include <detent/counters_layout.hpp>

namespace detent::detail {

using counters_layout::clock_reason;

inline constexpr const char* clock_source_file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

// Returns `none` if steady_clock is read from the TSC, and otherwise why that is not so or not known. `file` is the
// file in which Linux names its source.
clock_reason judge_clock_source(const char* file) noexcept;

}  // namespace detent::detail
