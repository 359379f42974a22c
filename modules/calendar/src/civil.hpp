// SPDX-License-Identifier: MIT
// Local time as numbers. A civil second counts the seconds that a clock on the wall would have shown since
// 1970-01-01 00:00:00, were its zone's offset constant; a civil day counts days likewise.
#pragma once

#include <detent/wall_time.hpp>

#include <chrono>
#include <cstdint>

namespace detent::detail {

using civil_second = std::int64_t;
using day_number = std::int32_t;

inline constexpr int first_year = 1970, last_year = 2199, year_count = last_year - first_year + 1;
inline constexpr std::int64_t seconds_a_day = 86'400;

inline constexpr day_number number_of(civil_day day) noexcept {
  return static_cast<day_number>(std::chrono::sys_days(day).time_since_epoch().count());
}
inline constexpr civil_day day_of(day_number number) noexcept {
  return std::chrono::sys_days(std::chrono::days(number));
}

// The days from 1970-01-01 to 2199-12-31.
inline constexpr day_number day_count = number_of(std::chrono::year(last_year + 1) / 1 / 1);

}  // namespace detent::detail
