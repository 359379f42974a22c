// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// The box to search with, and what was found.
std::string search_html(const console_lookup& lookup, console_query query, console_time now);
// A timer at length: when and why, and its payload as text and bytes. Empty: none was asked for.
std::string opening_html(const console_lookup& lookup, console_time now);

}  // namespace detent::tool
