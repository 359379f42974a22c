// SPDX-License-Identifier: MIT
#include "console/store_prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace detent::tool {
namespace {

std::string label_text(std::string_view text) {
  std::string out;
  for (const char each : text) {
    if (each == '"' || each == '\\') out += '\\';
    out += each;  // a printable name has no line feed
  }
  return out;
}

}  // namespace

std::string prometheus_text(const console_store& store) {
  std::uint64_t timers = 0, due = 0, dead = 0, unowned = 0;
  for (const console_shard& each : store.shards) {
    timers += each.timers;
    due += each.backlog;
    dead += each.dead;
    if (each.node_known && each.node.empty()) ++unowned;
  }
  std::string out;
  const auto add = [&](std::string_view name, std::string_view help, auto value) {
    out += fmt::format(
        "# HELP detent_durable_{0} {1}\n# TYPE detent_durable_{0} gauge\ndetent_durable_{0}{{store=\"{2}\"}} {3}\n",
        name, help, label_text(store.name), value);
  };
  const bool is_read = store.read_at && store.trouble.empty() && store.silent <= 0;
  add("up", "1 where the store could be read.", is_read ? 1 : 0);
  if (!is_read) return out;  // old figures would look like new ones
  add("timers", "Timers that the store has, dead ones not among them.", timers);
  add("due", "Timers whose due time has passed and that have not ended.", due);
  add("dead", "Dead timers that the store has.", dead);
  add("shards_unowned", "Shards that no node has: their timers do not run.", unowned);
  if (store.nodes_known) {
    add("nodes", "Nodes that are there.",
        std::ranges::count(store.nodes, console_node::state::there, &console_node::is));
    add("handlers_unrun", "Handlers of timers that come next, which no node has.", store.unrun.size());
  }
  return out;
}

}  // namespace detent::tool
