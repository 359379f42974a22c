// SPDX-License-Identifier: MIT
#pragma once

#include "writer.hpp"

#include <detent/durable_store.hpp>

#include <set>

namespace detent::durable::detail {

// Keeps the stored due times of recurring timers in line with their rules. A due time is computed and stored when a run
// ends. Since then the rule may have changed, or the data of its zone, or the clock may have been wrong. If the rule
// set a timer's due time and the rule's next time from now is earlier, the timer moves there. A timer that is due
// earlier than that stays, so that a missed run still runs. A time that a call or a retry has set stays as well. Used
// by the thread that talks to the store.
class rule_follower {
 public:
  rule_follower(const common& of, writer& moves) : with_(of), moves_(moves) {}

  // Looks at the timers of a shard that this node has taken. look_at_all() looks at all its shards, because rules or
  // the clock have changed.
  void look_at(shard_id shard) { shards_.insert(shard); }
  void look_at_all();
  bool has_work() const noexcept { return !shards_.empty(); }
  // Looks at one page of timers.
  void work();

 private:
  void follow(const record& what);

  const common& with_;
  writer& moves_;
  std::set<shard_id> shards_;
  list_request page_;  // where to continue in the first shard
};

}  // namespace detent::durable::detail
