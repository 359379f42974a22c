// SPDX-License-Identifier: MIT
// The store on Redis as somebody has it who installed it. No server is needed to be refused.
#include <detent/durable.hpp>
#include <detent/durable_redis.hpp>

int main() {
  try {
    detent::durable::redis_store("/no/such/directory/redis.sock", {.shards = 1});
  } catch (const detent::error& refused) {
    return refused.code() == detent::durable::errc::unavailable ? 0 : 1;
  }
  return 1;
}
