// SPDX-License-Identifier: MIT
#include "console/console_json.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "text/json_object.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

void add_time(json_object& json, const char* name, const std::optional<console_time>& time) {
  time ? json.count(name, time->time_since_epoch().count()) : json.number(name, std::nan(""));
}

json_object json_of(const console_shard& shard) {
  json_object json;
  json.count("shard", shard.shard)
      .text("node", printable(shard.node))
      .boolean("node_known", shard.node_known)
      .number("lag_ns", shard.lag.value_or(std::nan("")))
      .count("timers", shard.timers)
      .count("backlog", shard.backlog)
      .count("dead", shard.dead);
  return json;
}

json_object json_of(const console_timer& timer) {
  json_object json;
  json.text("key", printable(timer.key)).text("partition", printable(timer.partition));
  json.text("handler", printable(timer.handler));
  add_time(json, "due_us", timer.due);
  json.count("attempt", timer.attempt).count("shard", timer.shard).text("schedule", printable(timer.schedule));
  if (timer.died) {
    add_time(json, "died_us", timer.died);
    json.text("why", printable(timer.why));
  }
  return json;
}

json_object json_of(const console_node& node) {
  constexpr const char* states[] = {"there", "left", "lost"};
  json_object json;
  json.text("node", printable(node.name)).text("state", states[static_cast<std::size_t>(node.is)]);
  add_time(json, "seen_us", node.seen);
  return json;
}

json_object handler_json(const std::string& name) {
  json_object json;
  json.text("handler", printable(name));
  return json;
}

template <class Each>
std::vector<json_object> list_of(const std::vector<Each>& from) {
  std::vector<json_object> list;
  list.reserve(from.size());
  for (const Each& each : from) list.push_back(json_of(each));
  return list;
}

}  // namespace

std::string json_of(const console_store& store) {
  json_object json;
  json.text("name", store.name).text("trouble", store.trouble).number("silent_s", store.silent);
  add_time(json, "read_at_us", store.read_at);
  json.list("shards", list_of(store.shards)).list("next", list_of(store.next)).list("dead", list_of(store.dead));
  json.boolean("nodes_known", store.nodes_known).list("nodes", list_of(store.nodes));
  std::vector<json_object> unrun;
  for (const std::string& each : store.unrun) unrun.push_back(handler_json(each));
  json.list("unrun", unrun);
  return json.str() + "\n";
}

}  // namespace detent::tool
