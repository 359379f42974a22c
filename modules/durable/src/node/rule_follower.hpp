// SPDX-License-Identifier: MIT
#pragma once

#include "registry.hpp"
#include "tenures.hpp"
#include "trouble.hpp"
#include "writer.hpp"

#include <detent/durable_store.hpp>

#include <set>
#include <vector>

namespace detent::durable::detail {

// Keeps the stored due times of recurring timers to their rules. A due time is computed once, when the last run ends,
// and stored. Since then the rule may have changed, or the data of its zone, or a clock that was wrong. If the rule has
// set a timer's due time, and the rule's next time from now is earlier, the timer moves there. A timer that is due
// earlier stays, so that a missed run runs. A time that a call or a retry has set stays as well. Used by the thread
// that talks to the store.
class rule_follower {
 public:
  struct parts {
    store& in;
    const registry& known;
    tenures& terms;
    writer& moves;
    trouble& problems;
  };
  explicit rule_follower(const parts& of) : with_(of) {}

  // Looks at the timers of this shard, which this node has taken; and at those of all its shards, because rules or the
  // clock have changed.
  void look_at(shard_id shard) { shards_.insert(shard); }
  void look_at_all();
  bool has_work() const noexcept { return !shards_.empty(); }
  // Looks at one page of them.
  void work();

 private:
  void follow(const record& what);

  const parts with_;
  std::set<shard_id> shards_;
  list_request page_;  // goes on in the first of them
};

}  // namespace detent::durable::detail
