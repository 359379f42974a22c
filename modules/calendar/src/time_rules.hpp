// SPDX-License-Identifier: MIT
// The rules for the times of day of a schedule.
#pragma once

#include <cstdint>
#include <optional>

namespace detent::detail {

struct time_rules {
  std::uint64_t seconds = 0, minutes = 0;  // bits 0 to 59; never empty
  std::uint64_t hours = 0;                 // bits 0 to 23; never empty
  bool fixed = false;                      // only numbers, lists and ranges: a gap or an overlap moves or drops it

  // Returns the seconds since midnight of the first such time from `second` on, if the day has one.
  std::optional<std::int32_t> at_or_after(std::int32_t second) const noexcept;
  std::int32_t first() const noexcept { return *at_or_after(0); }
};

}  // namespace detent::detail
