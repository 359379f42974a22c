// SPDX-License-Identifier: MIT
// A store in memory: the duties of a store in their shortest form. For tests; it outlives nothing.
#pragma once

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <memory>

namespace detent::durable {
namespace detail {
class memory_data;
}

class memory {
 public:
  // Takes 1 to 1,024 shards. Leases end and fences grow by the clock `by`. Throws detent::error with
  // errc::invalid_option, and bad_alloc.
  explicit memory(shard_id shards = 16, const virtual_time& by = {});
  // Returns a store on this memory, for one node. There may be any number of them, each used by a thread of its own.
  // Throws bad_alloc.
  std::shared_ptr<store> connect();

 private:
  std::shared_ptr<detail::memory_data> data_;
};

}  // namespace detent::durable
