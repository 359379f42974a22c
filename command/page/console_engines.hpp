// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// The engines that the query chooses, a line each; shards folded into the line of their set, and at first no more than
// twenty. `shown` is the one that is marked, or none. `words`: on the figures, HTML.
std::string engine_table(const console_view& view, const console_query& query, const console_engine* shown,
                         const std::string& words);

}  // namespace detent::tool
