// SPDX-License-Identifier: MIT
// The timers that the options of a command name.
#pragma once
#include <detent/durable_store.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "durable/durable_command.hpp"

namespace detent::tool {

// Throws input_error if a call on that store has failed.
void check(durable::errc problem, const durable::store& in);

// Returns the bytes of a key, partition or handler that was typed in the form in which printable() shows it. Throws
// usage_error.
std::string typed_bytes(std::string_view option, const std::string& text, std::size_t least, std::size_t most);
// Returns a time with Z or an offset, or "now", rounded up to whole microseconds. Throws usage_error.
durable::stored_time typed_time(std::string_view option, const std::string& text);
durable::stored_time time_now();

// Returns the request that the options describe, for shard 0.
durable::list_request query_of(const durable_options& options);
// Returns whether the options ask for less than the whole store.
bool narrows(const durable_options& options);
// Describes the query, as in "with handler 'expire', due before 2030-01-01T00:00:00Z". Empty if it asks for the whole
// store.
std::string words_of(const durable_options& options);

// Return the key and the partition of one timer, as typed_bytes() does.
std::string typed_key(const durable_options& options);
std::optional<std::string> typed_partition(const durable_options& options);

// Calls `visit` for each timer of every shard that the query finds, page by page.
void each_found(durable::store& in, durable::list_request which,
                const std::function<void(durable::listed_record&&)>& visit);

// Returns the timers with that key in any partition.
std::vector<durable::listed_record> find_by_key(durable::store& in, const std::string& key, bool dead,
                                                std::size_t limit);

enum class timer_state : std::uint8_t { any, alive, dead };
// Returns the timer with the options' key in that state; if a live and a dead one have it, the live one. If the options
// name no partition, it looks in every one. Throws input_error, with a list, if several partitions have one.
std::optional<durable::listed_record> find_named(durable::store& in, const durable_options& options,
                                                 timer_state state = timer_state::any);

}  // namespace detent::tool
