// SPDX-License-Identifier: MIT
#pragma once

#include "roll.hpp"
#include "tenures.hpp"

#include <detent/durable_store.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::detail {

// Lends shards to nodes that have the handlers that this node lacks. A shard goes to the node for its timer that has
// waited longest, stays there until its due timers have been read, and goes on in the same way. Used by the thread that
// talks to the store.
class lender {
 public:
  lender(store& in, tenures& terms, std::string_view node) : store_(in), terms_(terms), node_(node) {}

  // Tells the other nodes from time to time which handlers this node has.
  errc tell(std::span<const ability> has);
  // The shard stays here for a while, in which its due timers run.
  void was_read(shard_id shard);
  // A timer was read for which there is no handler here.
  void lacks(shard_id shard, const std::string& name, std::span<const ability> needs, stored_time due);
  // Shards that lack a handler that another node has begin to leave; `leave` is called for each.
  errc lend(const roll& with, const std::function<void(shard_id)>& leave);

 private:
  std::optional<std::string> taker_for(shard_id shard, const roll& with) const;

  store& store_;
  tenures& terms_;
  const std::string node_;
  std::chrono::nanoseconds told_until_{};  // by elapsed()
};

}  // namespace detent::durable::detail
