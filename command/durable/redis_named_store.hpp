// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <memory>

#include "durable/store_url.hpp"

namespace detent::tool {

// Opens an existing store. Throws detent::error, and input_error in a build without Redis.
std::shared_ptr<durable::store> open_redis(const redis_place& place, bool read_only);

}  // namespace detent::tool
