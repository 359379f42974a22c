// SPDX-License-Identifier: MIT
// Times of the wall clock.
#pragma once

#include <chrono>

namespace detent {

// UTC as the kernel counts it, in nanoseconds since 1970; leap seconds are not counted. From 1677 to 2262.
using wall_time = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

using civil_day = std::chrono::year_month_day;

}  // namespace detent
