// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// Shows the engines that the query chooses in a line each, with shards folded into the line of their set, and at first
// no more than twenty. `shown` is the marked one, or null. `words` is HTML about the figures.
std::string engine_table(const console_view& view, const console_query& query, const console_engine* shown,
                         const std::string& words);

}  // namespace detent::tool
