// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// A store of durable timers: its shards, what is next, what is dead.
std::string durable_section(const console_store& store, console_time now);

}  // namespace detent::tool
