// SPDX-License-Identifier: MIT
#pragma once

#include "roll.hpp"
#include "tenures.hpp"

#include <detent/durable_store.hpp>

#include <map>

namespace detent::durable::detail {

// Lends shards to nodes that have the handlers that this node lacks. A shard goes to a node that can run the timer that
// has waited longest. It stays there until its due timers have been read, and that node lends it in the same way. Used
// by the thread that talks to the store.
class lender {
 public:
  lender(store& in, tenures& terms, std::string_view node) : store_(in), terms_(terms), node_(node) {}

  // Tells the other nodes which handlers this node has. To be called again and again: it writes only when the last note
  // is about to lapse.
  errc tell(std::span<const ability> has);
  // The shard stays here long enough for its due timers to run.
  void was_read(shard_id shard);
  // A timer was read for which this node has no handler.
  void lacks(shard_id shard, const std::string& name, std::span<const ability> needs, stored_time due);
  // Lets each shard leave that lacks a handler here and finds one on another node. `leave` is called for each.
  errc lend(const roll& with, const std::function<void(shard_id)>& leave);

 private:
  std::optional<std::string> taker_for(shard_id shard, const roll& with) const;

  store& store_;
  tenures& terms_;
  const std::string node_;
  std::chrono::nanoseconds told_until_{};  // by elapsed()
};

}  // namespace detent::durable::detail
