// SPDX-License-Identifier: MIT
// The files of the tz database: TZif, versions 1 to 4, by RFC 9636.
#pragma once

#include <string_view>

#include "zone_rules.hpp"

namespace detent::detail {

// The segments that a zone's file means, for all years that schedules know. What the file does not list follows from
// its footer. Leap seconds are taken out, as wall times do not count them. Throws bad_zone_file.
std::vector<offset_segment> read_zone_file(std::string_view bytes);

}  // namespace detent::detail
