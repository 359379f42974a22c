// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace detent::detail {

inline constexpr std::array<std::string_view, 12> month_names = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                                 "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
inline constexpr std::array<std::string_view, 7> weekday_names = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

inline constexpr const char* never_due_text = "no month of the schedule has such a day: it is never due";

}  // namespace detent::detail
