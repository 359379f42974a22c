// SPDX-License-Identifier: MIT
#include "durable/timer_words.hpp"

#include <cmath>

#include "cron/zoned_time.hpp"
#include "text/base64.hpp"
#include "text/column_table.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"
#include "text/text_table.hpp"

namespace detent::tool {

using namespace durable;

namespace {

constexpr std::size_t shown_payload = 256;  // bytes, about a screenful

void add_time(json_object& json, const std::string& name, const std::optional<stored_time>& at) {
  if (at) {
    json.text(name, utc_text(*at)).count(name + "_us", at->time_since_epoch().count());
  } else {
    json.number(name, std::nan("")).number(name + "_us", std::nan(""));
  }
}

}  // namespace

std::string quoted_option(std::string_view partition) {
  std::string quoted;
  for (const char each : printable(partition)) quoted += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return "--partition '" + quoted + "'";
}

std::string name_text(const record& its) {
  const key_parts of = parts_of(its.key);
  return in_quotes(of.key) + (of.partition.empty() ? "" : " in partition " + in_quotes(of.partition));
}

stored_time place_of(const listed_record& its) { return its.died.value_or(its.what.due); }

std::string_view payload_of(const record& its) {
  return {reinterpret_cast<const char*>(its.payload.data()), its.payload.size()};
}

std::string table_of(const std::vector<listed_record>& timers, bool dead) {
  if (timers.empty()) return "";
  using side = column_table::side;
  column_table table({side::left, side::left, side::left, side::left, side::right, side::left});
  table.add({dead ? "died" : "due", "handler", "key", "partition", dead ? "attempts" : "attempt", dead ? "why" : ""});
  for (const listed_record& its : timers) {
    const key_parts of = parts_of(its.what.key);
    std::string note = dead ? printable(its.why) : "";
    if (!dead && !its.what.schedule.empty()) note = "on " + printable(its.what.schedule);
    table.add({utc_text(place_of(its)), printable(its.what.handler), printable(of.key), printable(of.partition),
               std::to_string(attempt_of(its.what, dead)), note});
  }
  return table.text();
}

std::string full_text(const listed_record& its) {
  const key_parts of = parts_of(its.what.key);
  text_table table;
  table.add("key", printable(of.key));
  table.add("partition", of.partition.empty() ? "none" : in_quotes(of.partition));
  table.add("handler", printable(its.what.handler));
  if (!its.what.schedule.empty()) table.add("on", printable(its.what.schedule));
  table.add(its.died ? "was due" : "due", utc_text(its.what.due));
  table.add(its.died ? "attempts" : "attempt", std::to_string(attempt_of(its.what, its.died.has_value())));
  table.add("shard", std::to_string(its.what.shard));
  if (its.died) {
    table.add("died", utc_text(*its.died));
    table.add("why", its.why.empty() ? "no reason was given" : printable(its.why));
  }
  const std::string_view bytes = payload_of(its.what);
  std::string shown = std::to_string(bytes.size()) + " bytes";
  if (!bytes.empty()) shown += ": " + printable(bytes.substr(0, shown_payload));
  if (bytes.size() > shown_payload) shown += " ... (detent durable get has all)";
  table.add("payload", shown);
  return table.text();
}

json_object json_of(const listed_record& its) {
  const key_parts of = parts_of(its.what.key);
  json_object json;
  json.text("key", printable(of.key)).text("partition", printable(of.partition));
  json.text("handler", printable(its.what.handler));
  add_time(json, "due", its.what.due);
  json.count("attempt", attempt_of(its.what, its.died.has_value())).count("shard", its.what.shard);
  json.text("schedule", printable(its.what.schedule)).boolean("dead", its.died.has_value());
  add_time(json, "died", its.died);
  json.text("why", printable(its.why)).count("payload_size", its.what.payload.size());
  return json;
}

json_object full_json(const listed_record& its) {
  json_object json = json_of(its);
  const std::string_view bytes = payload_of(its.what);
  json.text("payload", printable(bytes)).text("payload_base64", base64(bytes));
  return json;
}

}  // namespace detent::tool
