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
// Shows a store of durable timers: a search in it, its nodes and shards, the next timers, and the dead ones.
std::string durable_section(const console_store& store, console_time now, const durable_extras& extras);

}  // namespace detent::tool
