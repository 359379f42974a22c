// SPDX-License-Identifier: MIT
#pragma once
#include <detent/time.hpp>
#include <detent/time_zone.hpp>
#include <detent/wall_time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace detent::tool {

// A time in ISO 8601: YYYY-MM-DD[Thh:mm[:ss[.fraction]]], followed by Z, an offset such as -05:00, or neither.
struct zoned_time {
  wall_time clock;                             // the time on the clock, taken as UTC
  std::optional<std::chrono::seconds> offset;  // ahead of UTC; empty if the text gives none

  // Returns whether it means that instant. A time without an offset is in `zone`.
  bool is(wall_time instant, const time_zone& zone) const;
  // Returns the instant that it means. A time without an offset is in `zone`.
  wall_time in(const time_zone& zone) const;
};

std::optional<zoned_time> read_time(std::string_view text);

// Throws input_error unless the text is a time with Z or an offset. `name` says what the text stands for.
wall_time instant_of(std::string_view name, std::string_view text);

std::string utc_text(wall_time at);                           // 2024-03-08T14:30:00Z, with a fraction if there is one
std::string local_text(wall_time at, const time_zone& zone);  // Fri 2024-03-08 09:30:00 -05:00

}  // namespace detent::tool
