// SPDX-License-Identifier: MIT
#include "rule_follower.hpp"

#include <detent/calendar_error.hpp>

namespace detent::durable::detail {
namespace {

constexpr std::size_t a_page = 500;

}  // namespace

void rule_follower::look_at_all() {
  page_ = {};
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    if (with_.terms.of(shard).term) look_at(shard);
}

void rule_follower::follow(const record& what) {
  const std::optional<schedule> rule = with_.known.find_schedule(what.schedule);
  if (!rule || !what.by_rule) return;
  try {
    const auto next = rule->next(with_.clock.wall_now());
    if (next && stored(*next) < what.due) moves_.move(with_.terms.of(what.shard).term, what, stored(*next));
  } catch (const error&) {  // its list of days ends; it stays where it is
  }
}

void rule_follower::work() {
  while (!shards_.empty() && !with_.terms.of(*shards_.begin()).term) {
    shards_.erase(shards_.begin());
    page_ = {};
  }
  if (shards_.empty()) return;
  if (page_.shard != *shards_.begin()) page_ = {};  // a shard that comes before the page's was taken since
  page_.shard = *shards_.begin();
  page_.recurring = true;
  page_.limit = a_page;
  list_page found;
  if (!with_.problems.ok(trouble::of::rules, with_.in.list(page_, found))) return;
  for (const listed_record& one : found.found) follow(one.what);
  page_.after = found.next;
  if (!page_.after.empty()) return;
  shards_.erase(shards_.begin());
  page_ = {};
}

}  // namespace detent::durable::detail
