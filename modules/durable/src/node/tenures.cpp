// SPDX-License-Identifier: MIT
#include "tenures.hpp"

#include <detent/durable_journal.hpp>

namespace detent::durable::detail {
namespace {

// A pass of the thread that talks to the store makes up to six calls in sequence, and a term must outlast two passes.
constexpr int trips_a_lease = 16;

}  // namespace

std::size_t tenures::owned() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(all_, [](const tenure& its) { return its.term != nullptr; }));
}

void tenures::note_trip(std::chrono::nanoseconds took) noexcept {
  if (trips_noted_ == 0) trips_.fill(took);
  trips_[trips_noted_++ % trips_.size()] = took;
}

std::chrono::milliseconds tenures::lease() const noexcept {
  return std::chrono::ceil<std::chrono::milliseconds>(
      std::max<std::chrono::nanoseconds>(how_.lease, trip() * trips_a_lease));
}

void tenures::share_out(const roll& with) {
  const std::chrono::nanoseconds now = clock_.elapsed();
  if (shared_out_at_.count() != 0 && now - shared_out_at_ > lease() / 2) doubt();
  shared_out_at_ = now;
  is_rolled_ = true;
  lent_ = with.lent;
  for (shard_id shard = 0; shard < shards(); ++shard) {
    const std::uint64_t mine = attraction(node_, shard);
    ours_[shard] = std::ranges::none_of(
        with.nodes, [&](const std::string& other) { return other != node_ && attraction(other, shard) > mine; });
  }
}

void tenures::share_out_nothing() noexcept {
  is_rolled_ = false;
  lent_.clear();
}

errc tenures::look_for_orphans() {
  const std::chrono::nanoseconds now = clock_.elapsed();
  bool foreign = false;
  for (shard_id shard = 0; shard < shards(); ++shard)
    foreign = foreign || (!all_[shard].term && !(is_rolled_ && ours_[shard]));
  if (!foreign || now < look_at_) return errc{};
  look_at_ = now + lease() / 8;
  return look();
}

errc tenures::look() {
  const std::chrono::nanoseconds now = clock_.elapsed();
  std::vector<shard_state> states(all_.size());
  const errc problem = store_.look(states);
  if (problem != errc{}) return problem;
  unowned_ = 0;
  for (const shard_state& its : states) {
    if (its.node.empty()) unowned_ += its.timers;
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

bool tenures::may_take(shard_id shard, std::chrono::nanoseconds now) const noexcept {
  const tenure& its = all_[shard];
  if (its.term || now < its.try_at) return false;
  if (const auto loan = lent_.find(shard); loan != lent_.end()) return loan->second.to == node_;
  if (its.lost) return true;
  // A shard without an owner is taken even if that is unfair; and while the roll is unknown, fairness cannot be judged.
  const bool orphan = its.free_since.count() != 0 && now - its.free_since >= lease() / (is_rolled_ ? 4 : 2);
  return now >= shared_from_ && ((is_rolled_ && ours_[shard]) || orphan);
}

errc tenures::take(const std::function<void(shard_id)>& took) {
  if (const errc problem = look_for_orphans(); problem != errc{}) return problem;
  const std::chrono::nanoseconds now = clock_.elapsed();
  std::vector<take_request> wanted;
  for (shard_id shard = 0; shard < shards(); ++shard)
    if (may_take(shard, now)) wanted.push_back({shard, lease()});
  if (wanted.empty()) return errc{};
  std::vector<take_result> results(wanted.size());
  const errc problem = store_.take(node_, wanted, results);
  if (problem != errc{}) return problem;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    tenure& its = all_[wanted[i].shard];
    if (results[i].status == take_status::held) {
      its.try_at = clock_.elapsed() + std::min<std::chrono::nanoseconds>(results[i].left, lease() / 8);
      continue;
    }
    // If this node had the shard, its process still lives, so no run of its own has become suspect and only what was
    // careful before stays so. A store that knows which runs were under way has marked those itself.
    const run_journal* const ran = store_.journal();
    its.lost = its.lost && results[i].former <= its.lost_fence;  // otherwise another owner came and went unseen
    const bool careful = results[i].abandoned && !its.lost && !(ran != nullptr && ran->knows_former());
    const stored_time careful_upto = its.lost ? its.careful_upto : stored_time::min();
    its = tenure{};
    its.term = std::make_shared<held_term>(term_ref{wanted[i].shard, results[i].fence}, clock_,
                                           careful && !clock_.are_virtual() ? clock_.wall_now() : careful_upto);
    its.term->stand(now, lease());  // `now` was taken before the request
    its.stays_until = now + lease() * 2;
    took(wanted[i].shard);
  }
  return errc{};
}

void tenures::pick_leaver(const std::function<void(shard_id)>& leave) {
  if (!is_rolled_) return;
  const std::chrono::nanoseconds now = clock_.elapsed();
  for (shard_id shard = 0; shard < shards(); ++shard) {
    tenure& its = all_[shard];
    if (!its.term || its.leaving || ours_[shard] || now < its.stays_until) continue;
    its.leaving = true;
    leave(shard);
    return;
  }
}

void tenures::lose(shard_id shard) {
  tenure& its = all_[shard];
  its.careful_upto = its.term->careful_upto();
  its.lost_fence = its.term->which().fence;
  its.term = nullptr;
  its.leaving = its.untried = false;
  its.lost = true;
  its.lacks.clear();
  its.lent_to.clear();
}

void tenures::let_go(shard_id shard) {
  lose(shard);
  all_[shard].lost = false;
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
