// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

struct durable_extras {
  const console_lookup& lookup;
  const console_query& query;
};
// A store of durable timers: a search in it, its nodes and shards, what is next, what is dead.
std::string durable_section(const console_store& store, console_time now, const durable_extras& extras);

}  // namespace detent::tool
