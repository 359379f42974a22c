// SPDX-License-Identifier: MIT
#include "durable/redis_named_store.hpp"

#include <detent/durable_redis.hpp>

#include <chrono>
#include <string>

namespace detent::tool {
namespace {

constexpr auto patience = std::chrono::seconds(2);  // of a person; a node has less, because it must renew a lease

}  // namespace

std::shared_ptr<durable::store> open_redis(const redis_place& place, bool read_only) {
  try {
    return durable::redis_store(place.address, {.prefix = place.prefix,
                                                .shards = 0,
                                                .user = place.user,
                                                .password = place.password,
                                                .patience = patience,
                                                .read_only = read_only,
                                                .tls = place.tls,
                                                .sentinel = place.sentinel});
  } catch (const error& refused) {
    const std::string why = refused.what();
    if (why.find("NOAUTH") == std::string::npos) throw;
    if (why.find("sentinel.password") != std::string::npos)
      throw error(refused.code(), why + ", DETENT_SENTINEL_PASSWORD or ?sentinel-password-file=FILE");
    throw error(refused.code(), why + " Set DETENT_REDIS_PASSWORD, or give ?password-file=FILE");
  }
}

}  // namespace detent::tool
