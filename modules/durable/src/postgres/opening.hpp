// SPDX-License-Identifier: MIT
// The beginning of a store: the server, the schema, the rights.
#pragma once

#include "connection.hpp"

#include <detent/durable_postgres.hpp>

#include <cstdint>
#include <string>

namespace detent::durable::postgres {

inline constexpr shard_id most_shards = 1024;

// Throws detent::error of invalid_option for a word that libpq does not know, and never shows a password.
void check_url(const std::string& url);

// For people, of the same.
std::string place_of(const std::string& url);

// The statements with which each session of a store begins. `own_number`: of the one session that may write; an older
// session of that number is ended, so that nothing that was sent to it is carried out any more. 0: none.
std::string settings_of(bool read_only, std::int64_t own_number);

// A server of that number, as libpq gives it, is too old.
trouble check_version(int number);

// The number of shards. The schema is made where it has to be and may be. Else what is wrong, and the cure.
trouble open_store(connection& on, const postgres_options& how, shard_id& shards);

}  // namespace detent::durable::postgres
