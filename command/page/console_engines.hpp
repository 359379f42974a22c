// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// All engines, a line each, the worst first; shards folded into the line of their set, the many good ones into one.
// `shown` is the one that is marked, or none.
std::string engine_table(const console_view& view, const console_engine* shown);

}  // namespace detent::tool
