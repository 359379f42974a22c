// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// Shows the search box and what was found.
std::string search_html(const console_lookup& lookup, console_query query, console_time now);
// Shows a timer in full: its times, its failures, and its payload as text and bytes. Empty if none was asked for.
std::string opening_html(const console_lookup& lookup, console_time now);

}  // namespace detent::tool
