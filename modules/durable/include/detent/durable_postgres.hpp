// SPDX-License-Identifier: MIT
// A store in PostgreSQL, 13 or newer. Nodes of many machines share it, and any program may put and end timers in its
// own transactions, by the functions of the schema `detent`.
#pragma once

#include <detent/durable_store.hpp>
#include <detent/time.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace detent::durable {

struct postgres_options {
  // The shards of a new store, 1 to 1,024; an old one keeps its own. No more nodes than this find work. Default: 64.
  shard_id shards = 64;
  // A call waits this long for the server's answer; 1 ms to 1 min, and less than a quarter of the lease. Default: 500
  // ms.
  duration patience = std::chrono::milliseconds(500);
  // Makes the schema `detent` if the database has none, or an older one. Off: it must be there. Default: on.
  bool make_schema = true;
  // For looking at a store beside nodes that use it: no store is made, and every call that would change it is
  // not_permitted. Default: off.
  bool read_only = false;
};

// `url` is postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or words as libpq knows them: "host=/run/postgresql
// dbname=shop". Words that it leaves out come from the environment: PGHOST, PGPASSFILE. The store is for one node of
// durable timers at a time, which has three connections; none may go through a pooler that shares sessions. Keys,
// partitions and handlers are text here, UTF-8 without zero bytes. Throws detent::error: detent::errc::invalid_option;
// unavailable, also without a store if none may be made; not_permitted for a password, a role that lacks a right, or a
// standby; unsupported with the server's version or the database's encoding; foreign_format.
std::shared_ptr<store> postgres_store(const std::string& url, const postgres_options& how = {});

// The script that makes the schema, for psql; it may be run again.
std::string_view postgres_schema() noexcept;

}  // namespace detent::durable
