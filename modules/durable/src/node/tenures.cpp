// SPDX-License-Identifier: MIT
#include "tenures.hpp"

#include <algorithm>
#include <cstdint>

namespace detent::durable::detail {
namespace {

// How strongly a node attracts a shard: the strongest has it, and when one comes or goes only its own shards move.
std::uint64_t attraction(std::string_view node, shard_id shard) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u ^ shard;
  for (const char byte : node) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

}  // namespace

std::size_t tenures::owned() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(all_, [](const tenure& its) { return its.term != nullptr; }));
}

void tenures::share_out(const std::vector<std::string>& nodes) {
  const std::chrono::nanoseconds now = elapsed();
  if (shared_out_at_.count() != 0 && now - shared_out_at_ > how_.lease / 2) doubt();
  shared_out_at_ = now;
  nodes_ = nodes.size();
  for (shard_id shard = 0; shard < shards(); ++shard) {
    const std::uint64_t mine = attraction(node_, shard);
    ours_[shard] = std::ranges::none_of(
        nodes, [&](const std::string& other) { return other != node_ && attraction(other, shard) > mine; });
  }
}

errc tenures::look_for_orphans() {
  bool foreign = false;
  for (shard_id shard = 0; shard < shards(); ++shard) foreign = foreign || (!ours_[shard] && !all_[shard].term);
  if (!foreign) return errc{};
  std::vector<shard_state> states(all_.size());
  const errc problem = store_.look(states);
  if (problem != errc{}) return problem;
  const std::chrono::nanoseconds now = elapsed();
  for (const shard_state& its : states) {
    tenure& mine = all_[its.shard];
    mine.foreign = !its.node.empty() && its.node != "?" && its.node != node_;
    mine.lost = mine.lost && !mine.foreign;
    if (!its.node.empty())
      mine.free_since = {};
    else if (mine.free_since.count() == 0)
      mine.free_since = now;
  }
  return errc{};
}

errc tenures::take(const std::function<void(shard_id)>& took) {
  if (const errc problem = look_for_orphans(); problem != errc{}) return problem;
  const std::chrono::nanoseconds now = elapsed();
  std::vector<take_request> wanted;
  for (shard_id shard = 0; shard < shards(); ++shard) {
    const tenure& its = all_[shard];
    // A shard without an owner goes before fairness.
    const bool orphan = its.free_since.count() != 0 && now - its.free_since >= how_.lease / 4;
    const bool may = its.lost || (now >= shared_from_ && (ours_[shard] || orphan));
    if (!its.term && now >= its.try_at && may) wanted.push_back({shard, lease()});
  }
  if (wanted.empty()) return errc{};
  std::vector<take_result> results(wanted.size());
  const errc problem = store_.take(node_, wanted, results);
  if (problem != errc{}) return problem;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    tenure& its = all_[wanted[i].shard];
    if (results[i].status == take_status::held) {
      its.try_at = elapsed() + std::min<std::chrono::nanoseconds>(results[i].left, how_.lease / 8);
      continue;
    }
    its.term = std::make_shared<held_term>(term_ref{wanted[i].shard, results[i].fence});
    its.term->stand(now, lease());  // `now` is from before the request
    its.level = stored_time::min();
    its.leaving = its.lost = its.foreign = its.lacking = its.has_backlog = false;
    its.stays_until = now + how_.lease * 2;
    its.free_since = {};
    took(wanted[i].shard);
  }
  return errc{};
}

bool tenures::may_lend(const tenure& its) const noexcept {
  return its.lacking && nodes_ > 1 && elapsed() >= its.lends_at;
}

void tenures::pick_leavers(const std::function<void(shard_id)>& leave) {
  const std::chrono::nanoseconds now = elapsed();
  bool surplus = false;
  for (shard_id shard = 0; shard < shards(); ++shard) {
    tenure& its = all_[shard];
    if (!its.term || its.leaving) continue;
    if (may_lend(its)) {
      its.try_at = now + how_.lease * 2;
      its.lends_at = now + how_.lease * 20;
    } else if (!surplus && !ours_[shard] && now >= its.stays_until) {
      surplus = true;
    } else {
      continue;
    }
    its.leaving = true;
    leave(shard);
  }
}

void tenures::lose(shard_id shard) {
  tenure& its = all_[shard];
  its.term = nullptr;
  its.leaving = false;
  its.lost = true;
}

errc tenures::give_back(const std::vector<shard_id>& which) {
  std::vector<term_ref> terms;
  terms.reserve(which.size());
  for (const shard_id shard : which) terms.push_back(all_[shard].term->which());
  const errc problem = store_.give_back(terms);
  if (problem != errc{}) return problem;
  for (const shard_id shard : which) {
    const bool in_time = all_[shard].term->stands();
    lose(shard);
    all_[shard].lost = !in_time;
  }
  return errc{};
}

}  // namespace detent::durable::detail
