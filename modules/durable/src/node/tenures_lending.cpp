// SPDX-License-Identifier: MIT
// Lends shards to nodes that have the handlers that this node lacks.
#include "tenures.hpp"

#include <algorithm>

namespace detent::durable::detail {

errc tenures::tell(const node_note& its) {
  const std::chrono::nanoseconds now = clock_.elapsed();
  if (now < told_until_) return errc{};
  roll_call answer;
  const errc problem = store_.call_roll(note_of_node(node_, its), lease(), answer);
  if (problem == errc{}) told_until_ = now + lease() / 2;
  return problem;
}

void tenures::was_read(shard_id shard) {
  tenure& its = all_[shard];
  if (its.lends_at.count() == 0) its.lends_at = clock_.elapsed() + lease() / 4;
}

void tenures::lacks(shard_id shard, const std::string& name, std::span<const ability> needs, stored_time due) {
  const auto [its, is_new] = all_[shard].lacks.try_emplace(name, lack{{needs.begin(), needs.end()}, due});
  if (!is_new) its->second.due = std::min(its->second.due, due);
}

std::optional<std::string> tenures::taker_for(shard_id shard, const roll& with) const {
  const stored_time now = clock_.wall_now();
  std::optional<std::string> taker;
  stored_time since = stored_time::max();
  for (const auto& [name, its] : all_[shard].lacks) {
    if (its.due > now || its.due >= since) continue;
    for (const std::string& other : with.nodes) {
      if (other == node_ || !with.has(other, its.needs)) continue;
      if (taker && since == its.due && attraction(other, shard) <= attraction(*taker, shard)) continue;
      taker = other;
      since = its.due;
    }
  }
  return taker;
}

errc tenures::lend(const roll& with, const std::function<void(shard_id)>& leave) {
  const std::chrono::nanoseconds now = clock_.elapsed();
  std::map<std::string, std::vector<term_ref>> loans;
  std::vector<shard_id> begin;
  for (shard_id shard = 0; shard < shards(); ++shard) {
    tenure& its = all_[shard];
    if (!its.term) continue;
    const auto promise = [&](const std::string& to) { loans[to].push_back(its.term->which()); };
    if (its.leaving) {
      if (!its.lent_to.empty()) promise(its.lent_to);  // a run there is still under way
      continue;
    }
    if (its.lacks.empty() || its.lends_at.count() == 0 || now < its.lends_at) continue;
    const auto taker = taker_for(shard, with);
    if (!taker) continue;
    its.lent_to = *taker;
    promise(*taker);
    begin.push_back(shard);
  }
  // The other nodes must know of the loan before the shard is free.
  errc problem{};
  for (const auto& [to, what] : loans) {
    roll_call answer;
    if (problem == errc{}) problem = store_.call_roll(note_of_loans(to, what), lease() / 2, answer);
  }
  for (const shard_id shard : begin) {
    tenure& its = all_[shard];
    if (problem != errc{}) {
      its.lent_to.clear();
      continue;
    }
    its.leaving = true;
    leave(shard);
  }
  return problem;
}

}  // namespace detent::durable::detail
