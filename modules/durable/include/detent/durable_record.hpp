// SPDX-License-Identifier: MIT
// A timer as a store has it, and the limits of its parts. Comes with <detent/durable_store.hpp>.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable {

// A time of the wall clock in whole microseconds, which a double holds exactly until the year 2255.
using stored_time = std::chrono::sys_time<std::chrono::microseconds>;

using shard_id = std::uint16_t;

inline constexpr std::size_t key_limit = 128;                               // bytes; at least 1
inline constexpr std::size_t partition_limit = 128;                         // bytes
inline constexpr std::size_t name_limit = 1 + partition_limit + key_limit;  // bytes of a stored key
inline constexpr std::size_t handler_limit = 64;                            // bytes; at least 1
inline constexpr std::size_t payload_limit = 1 << 16;                       // bytes
inline constexpr std::size_t schedule_limit = 4096;                         // bytes of record::schedule
inline constexpr std::uint32_t store_format = 2;  // of what a store keeps about itself; any other: foreign_format

// The name of a timer in a store: one byte with the length of its partition, the partition, the key. A store compares
// and sorts these bytes, and needs the parts only in list() and purge(). Throws bad_alloc.
std::string stored_key(std::string_view key, std::string_view partition = {});
struct key_parts {
  std::string_view partition, key;
};
// The parts refer to `stored`. Bytes that were not made by stored_key() are a key without a partition.
key_parts parts_of(std::string_view stored) noexcept;

// The shard of a timer: FNV-1a, 64 bits, modulo shards, of its partition, or of its key if the partition is empty.
shard_id shard_of(std::string_view key, std::string_view partition, shard_id shards) noexcept;

// A timer as the store has it. Keys, names and payloads are any bytes.
struct record {
  shard_id shard = 0;
  std::string key = {};  // a stored_key(), unique in its shard
  std::uint64_t id = 0;  // of this version of it: each put has a new one, which grows with time on each node
  stored_time due{};
  std::uint32_t attempt = 1;  // as its node has written it
  std::string handler = {};
  std::string schedule = {};  // what it repeats on, as its node has written it; empty: it runs once
  std::vector<std::byte> payload = {};
  bool by_rule = false;  // its schedule has set `due`; else a call or a retry has set it
};
// The attempt as users count it: of the next run, or of a dead timer's last one.
std::uint32_t attempt_of(const record& its, bool is_dead = false) noexcept;

}  // namespace detent::durable
