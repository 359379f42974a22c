// SPDX-License-Identifier: MIT
// The beginning of a store: the server, the schema, the rights.
#pragma once

#include "connection.hpp"

#include <detent/durable_postgres.hpp>

#include <cstdint>
#include <string>

namespace detent::durable::postgres {

inline constexpr shard_id most_shards = 1024;

// Throws detent::error with invalid_option for a word that libpq does not know. It never shows a password.
void check_url(const std::string& url);

// The place that the URL names, for people.
std::string place_of(const std::string& url);

// Returns the statements that begin each session of a store. `own_number` identifies the one session that may write: an
// older session with that number is ended, so that nothing that was sent to it is carried out any more. A session that
// only reads passes 0.
std::string settings_of(bool read_only, std::int64_t own_number);

// Checks whether a server of that version, as libpq gives it, is new enough.
trouble check_version(int number);

// Reads the number of shards. Makes the schema if it is missing and may be made. Otherwise returns what is wrong, and
// the cure.
trouble open_store(connection& on, const postgres_options& how, shard_id& shards);

}  // namespace detent::durable::postgres
