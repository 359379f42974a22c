// SPDX-License-Identifier: MIT
#include "attempts.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable {

std::string stored_key(std::string_view key, std::string_view partition) {
  std::string out;
  out.reserve(1 + partition.size() + key.size());
  out += static_cast<char>(partition.size());
  out += partition;
  out += key;
  return out;
}

key_parts parts_of(std::string_view stored) noexcept {
  const std::size_t length = stored.empty() ? name_limit : static_cast<unsigned char>(stored.front());
  if (length > partition_limit || stored.size() <= 1 + length) return {{}, stored};
  return {stored.substr(1, length), stored.substr(1 + length)};
}

shard_id shard_of(std::string_view key, std::string_view partition, shard_id shards) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : partition.empty() ? key : partition)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return static_cast<shard_id>(hash % shards);
}

std::uint32_t attempt_of(const record& its, bool is_dead) noexcept {
  const detail::attempts has = detail::attempts::of(its.attempt);
  return has.next() - (is_dead && has.lost != 0 ? 1 : 0);
}

}  // namespace detent::durable
