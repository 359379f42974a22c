// SPDX-License-Identifier: MIT
#include <detent/durable_store.hpp>

namespace detent::durable {

shard_id shard_of(std::string_view key, std::string_view partition, shard_id shards) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : partition.empty() ? key : partition)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return static_cast<shard_id>(hash % shards);
}

}  // namespace detent::durable
