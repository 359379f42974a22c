// SPDX-License-Identifier: MIT
// Timers of a store as rows of tables.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "page/console_view.hpp"

namespace detent::tool {

// Bytes of others as text; none: a dash.
std::string bytes_html(const std::string& bytes);
// A time of the store, and how far from now it is.
std::string when_html(console_time stored, console_time now);
// The key, which leads to the timer at length.
std::string key_link(const console_timer& timer);

std::string next_table(const std::vector<console_timer>& timers, console_time now);
std::string dead_table(const std::vector<console_timer>& timers, console_time now);
// Living ones and dead ones together.
std::string found_table(const std::vector<console_timer>& timers, console_time now);

}  // namespace detent::tool
