// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// The box to search with, and what was found. `reload`: of browsers without scripts that reload the page.
std::string search_html(const console_lookup& lookup, bool reload, console_time now);
// A timer at length: when and why, and its payload as text and bytes. Empty: none was asked for.
std::string opening_html(const console_lookup& lookup, console_time now);

}  // namespace detent::tool
