// SPDX-License-Identifier: MIT
// A store in PostgreSQL, 13 or newer, that the nodes of many machines share, and in which any program may put and end
// timers in its own transactions, by the functions of the schema `detent`.
#pragma once

#include <detent/durable_store.hpp>
#include <detent/time.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace detent::durable {

struct postgres_options {
  // The shards of a new store, 1 to 1,024; an old one keeps its own. No more nodes than this find work. 64.
  shard_id shards = 64;
  // A call waits this long for the server's answer; 1 ms to 1 min. Less than a quarter of the lease. 500 ms.
  duration patience = std::chrono::milliseconds(500);
  // Where the database has no schema `detent`, or an older one, it is made. Off: it has to be there. On.
  bool make_schema = true;
  // For looking, beside nodes that use it: no store is made, and every call that would change it is not_permitted. Off.
  bool read_only = false;
};

// `url` is postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or words as libpq knows them: "host=/run/postgresql
// dbname=shop". The words that it leaves out come from the environment: PGHOST, PGPASSFILE. For one node of durable
// timers at a time, which has three connections; none through a pooler that shares sessions. Keys, partitions and
// handlers are text here, UTF-8 without zero bytes. Throws detent::error: detent::errc::invalid_option; unavailable,
// also without a store where none may be made; not_permitted: a password, a role that lacks a right, a standby;
// unsupported with the server's version or the database's encoding; foreign_format.
std::shared_ptr<store> postgres_store(const std::string& url, const postgres_options& how = {});

// The script that makes the schema, for psql; it may be run again.
std::string_view postgres_schema() noexcept;

}  // namespace detent::durable
