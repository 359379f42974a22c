// SPDX-License-Identifier: MIT
#pragma once

#include <detent/calendar_error.hpp>
#include <detent/wall_time.hpp>

#include <string>
#include <string_view>

namespace detent::detail {

// The text in quotes, cut to a readable length, unprintable bytes as \xNN: safe inside a one-line message.
std::string in_quotes(std::string_view text);

std::string day_text(civil_day day);  // YYYY-MM-DD

}  // namespace detent::detail
