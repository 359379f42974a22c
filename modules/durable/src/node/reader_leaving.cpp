// SPDX-License-Identifier: MIT
// A node leaves its shards.
#include "reader.hpp"

#include <algorithm>

namespace detent::durable::detail {

// A run that may have ended a process and was not tried has no mark. The next owner must be careful with it as well,
// and will be if the term lapses instead of being given back.
void reader::withdraw(shard_id shard) {
  const bool withdrew_careful = held_.withdraw(shard);
  auto& its = with_.terms.of(shard);
  const stored_time upto = its.term->careful_upto();
  its.untried = its.untried || withdrew_careful || !its.has_read(upto) ||
                std::ranges::any_of(its.lacks, [&](const auto& one) { return one.second.due <= upto; });
}

bool reader::renews(shard_id shard) const {
  const auto& its = with_.terms.of(shard);
  return its.term && its.term->stands() && !lapses(shard);
}

bool reader::lapses(shard_id shard) const {
  const auto& its = with_.terms.of(shard);
  return its.leaving && its.untried && held_.size(shard) == 0;
}

void reader::reread_lacking() {
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (auto& its = with_.terms.of(shard); its.term && !its.lacks.empty()) its.leaving = true;
}

void reader::leave_roll() {
  roll_call answer;
  // Without this call, the others see within a lease that the node is gone.
  if (measured_) static_cast<void>(with_.in.call_roll(node_, std::chrono::milliseconds(0), answer));
}

void reader::leave_all() {
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    auto& its = with_.terms.of(shard);
    if (its.term) its.leaving = true;
  }
}

bool reader::give_back() {
  std::vector<shard_id> done;
  bool all = true;
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard) {
    auto& its = with_.terms.of(shard);
    if (!its.term || !its.leaving) continue;
    withdraw(shard);
    if (held_.size(shard) != 0)
      all = false;
    else if (!its.untried)
      done.push_back(shard);
  }
  return (done.empty() || with_.problems.ok(trouble::of::reading, with_.terms.give_back(done))) && all;
}

}  // namespace detent::durable::detail
