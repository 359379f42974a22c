// SPDX-License-Identifier: MIT
// The files of the tz database: TZif, versions 1 to 4, by RFC 9636.
#pragma once

#include <string_view>

#include "zone_rules.hpp"

namespace detent::detail {

// Returns the segments of a zone's file for all years that schedules know. The footer gives the changes that the file
// does not list. Leap seconds are taken out, because wall times do not count them. Throws bad_zone_file.
std::vector<offset_segment> read_zone_file(std::string_view bytes);

}  // namespace detent::detail
