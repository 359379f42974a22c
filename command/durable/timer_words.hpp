// SPDX-License-Identifier: MIT
// A timer as people read it, and as JSON.
#pragma once
#include <detent/durable_store.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "text/json_object.hpp"

namespace detent::tool {

// The partition as an option that can be typed: --partition eu, --partition ''.
std::string quoted_option(std::string_view partition);
// Returns 'order:1', or 'order:1' in partition 'eu'.
std::string name_text(const durable::record& its);
// Returns when it is due, or when it died.
durable::stored_time place_of(const durable::listed_record& its);
std::string_view payload_of(const durable::record& its);

// Returns a line for each timer, below a line of heads.
std::string table_of(const std::vector<durable::listed_record>& timers, bool dead);
// Describes the whole timer, with the first bytes of its payload.
std::string full_text(const durable::listed_record& its);
// The fields are key, partition, handler, due, due_us, attempt, shard, schedule, dead, died, died_us, why,
// payload_size.
json_object json_of(const durable::listed_record& its);
// The fields are the same, and payload and payload_base64.
json_object full_json(const durable::listed_record& its);

}  // namespace detent::tool
