// SPDX-License-Identifier: MIT
// A store in one file, by SQLite: for one process, without set-up.
#pragma once

#include <detent/durable_store.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace detent::durable {

struct sqlite_options {
  // Says which events a timer survives once it counts as stored. each_commit: a power cut, at one sync for each batch.
  // at_checkpoints: the end of the process, also by kill -9; a power cut may lose the last seconds.
  enum class sync : unsigned char { each_commit, at_checkpoints };
  // Default: each_commit.
  sync durability = sync::each_commit;
  // Bytes of the file that are kept in memory; at least 1 MiB. Default: 64 MiB, because with SQLite's own 2 MB a
  // million timers are very slow.
  std::size_t cache = std::size_t{64} << 20;
  // The file grows no further; operations that do not fit wait in the outbox. Default: 0, as far as the disk goes.
  std::size_t most_bytes = 0;
  // The shards of a new file, 1 to 1,024. Default: 1, everything is in deadline order.
  shard_id shards = 1;
  // For lists, beside a process that has the file: every call that would change it is not_permitted. Default: off.
  bool read_only = false;
};

// Opens the file, or makes it, in WAL mode. PATH-wal and PATH-shm are part of it, and PATH.lock says that it is in use.
// The store is for one node at a time. Throws detent::error: in_use, foreign_format, corrupt, not_permitted, or
// unavailable, with the path, SQLite's own words and the cure; detent::errc::invalid_option.
std::shared_ptr<store> sqlite_store(const std::string& path, const sqlite_options& how = {});

}  // namespace detent::durable
