// SPDX-License-Identifier: MIT
#pragma once

#include <detent/calendar_error.hpp>
#include <detent/wall_time.hpp>

#include <string>
#include <string_view>

namespace detent::detail {

// Returns the text in quotes, cut to a readable length, with unprintable bytes as \xNN, so that it is safe in a
// one-line message.
std::string in_quotes(std::string_view text);

std::string day_text(civil_day day);  // YYYY-MM-DD

}  // namespace detent::detail
