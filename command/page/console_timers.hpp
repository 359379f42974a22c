// SPDX-License-Identifier: MIT
// Timers of a store as rows of tables.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "page/console_view.hpp"

namespace detent::tool {

// Shows other people's bytes as text, or a dash if there are none.
std::string bytes_html(const std::string& bytes);
// Shows a time of the store and its distance from now.
std::string when_html(console_time stored, console_time now);
// Shows the key, which links to the timer in full.
std::string key_link(const console_timer& timer);

std::string next_table(const std::vector<console_timer>& timers, console_time now);
std::string dead_table(const std::vector<console_timer>& timers, console_time now);
// Lists living and dead timers together.
std::string found_table(const std::vector<console_timer>& timers, console_time now);

}  // namespace detent::tool
