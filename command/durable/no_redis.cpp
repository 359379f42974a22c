// SPDX-License-Identifier: MIT
// In place of the store on Redis, where hiredis is not.
#include "durable/redis_named_store.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

std::shared_ptr<durable::store> open_redis(const redis_place&, bool) {
  throw input_error("durable: this build has no store on Redis; it needs hiredis (Debian: libhiredis-dev)");
}

}  // namespace detent::tool
