// SPDX-License-Identifier: MIT
#pragma once
#include <detent/time.hpp>
#include <detent/time_zone.hpp>
#include <detent/wall_time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace detent::tool {

// A time as ISO 8601 has it: YYYY-MM-DD[Thh:mm[:ss[.fraction]]], and then Z, an offset such as -05:00, or neither.
struct zoned_time {
  wall_time clock;                             // what the clock shows, as if it showed UTC
  std::optional<std::chrono::seconds> offset;  // ahead of UTC; none: by the clock of a zone that is not named

  // Whether it means that instant; without an offset, in `zone`.
  bool is(wall_time instant, const time_zone& zone) const;
  // The instant that it means; without an offset, in `zone`.
  wall_time in(const time_zone& zone) const;
};

std::optional<zoned_time> read_time(std::string_view text);

// Throws input_error unless the text is a time with Z or an offset; `name` is what the text stands for.
wall_time instant_of(std::string_view name, std::string_view text);

std::string utc_text(wall_time at);                           // 2024-03-08T14:30:00Z, with what it has of a second
std::string local_text(wall_time at, const time_zone& zone);  // Fri 2024-03-08 09:30:00 -05:00

}  // namespace detent::tool
