// SPDX-License-Identifier: MIT
#pragma once

#include "link.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::redis {

// Reads the answer of the script read_on.
read_result result_of(shard_id shard, const redisReply& from);

}  // namespace detent::durable::redis
