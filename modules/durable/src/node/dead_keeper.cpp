// SPDX-License-Identifier: MIT
#include "dead_keeper.hpp"

#include <algorithm>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t most_a_piece = 100;  // erased in less than a millisecond
constexpr int pause = 9;                   // a pause is this many times as long as the work before it
constexpr std::chrono::nanoseconds between_counts = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds longer_a_shard = std::chrono::milliseconds(10);  // per shard that a count looks at

dead_limits limits_of(const options& how) noexcept {
  dead_limits out;
  if (how.dead_for != (duration::max)()) out.keep_for = std::chrono::ceil<std::chrono::microseconds>(how.dead_for);
  if (how.most_dead != SIZE_MAX) out.most = how.most_dead;
  return out;
}

// Returns the limit that keeps more; 0 means no limit.
template <class Value>
Value greater_of(Value a, Value b) noexcept {
  return a == Value{} || b == Value{} ? Value{} : std::max(a, b);
}

std::string text_of(const dead_limits& its) {
  const std::string age =
      its.keep_for.count() == 0 ? "for ever" : "for " + std::to_string(its.keep_for.count() / 1'000'000) + " s";
  return its.most == 0 ? age : age + ", " + std::to_string(its.most) + " at most";
}

}  // namespace

dead_keeper::dead_keeper(const common& of, std::string_view node) : with_(of), node_(node), own_(limits_of(of.how)) {}

// A node's note may vanish some time before its name does, and may appear some time after it. So a difference is
// reported only after it has lasted for a lease.
void dead_keeper::heard(const roll& with) {
  dead_limits holds = own_;
  const std::string* other = nullptr;
  dead_limits others;
  for (const std::string& node : with.nodes) {
    if (node == node_) continue;
    const auto noted = with.notes.find(node);
    const dead_limits its = noted == with.notes.end() ? dead_limits{} : noted->second.keeps;
    holds = {greater_of(holds.keep_for, its.keep_for), greater_of(holds.most, its.most)};
    if (its == own_) continue;
    other = &node;
    others = its;
  }
  holds_ = holds;
  const std::chrono::nanoseconds now = with_.clock.elapsed();
  if (other == nullptr)
    differs_since_ = {};
  else if (differs_since_.count() == 0)
    differs_since_ = now;
  else if (now - differs_since_ > with_.terms.lease() && !std::exchange(said_, true))
    say(*other, others);
}

void dead_keeper::say(const std::string& other, const dead_limits& its) {
  with_.problems.report(make_error_code(detent::errc::invalid_option),
                        "durable::options::dead_for and most_dead: this node keeps dead timers " + text_of(own_) +
                            ", and " + other + " keeps them " + text_of(its) + ": the longest and the most hold (" +
                            text_of(*holds_) + "); give all nodes the same");
}

bool dead_keeper::owns(shard_id shard) const {
  const tenures::tenure& its = with_.terms.of(shard);
  return its.term != nullptr && its.term->stands() && !its.leaving;
}

bool dead_keeper::plan_for_age() {
  if (holds_->keep_for.count() == 0) return true;
  std::vector<stored_time> first(with_.terms.shards());
  if (!with_.problems.ok(trouble::of::dead, with_.in.look_at_deaths(1, first))) return false;
  const stored_time now = with_.clock.wall_now();
  for (shard_id shard = 0; shard != with_.terms.shards(); ++shard) {
    if (first[shard] == stored_time::max() || !owns(shard)) continue;
    const stored_time goes_at = first[shard] + holds_->keep_for;
    if (goes_at < now)
      pieces_.push_back({shard, now - holds_->keep_for, SIZE_MAX});
    else if (with_.clock.are_virtual())
      work_at_ = std::min(work_at_, with_.clock.elapsed() + (goes_at - now) + std::chrono::microseconds(1));
  }
  return true;
}

// Erases the oldest timers of each shard, down to a time before which all shards together hold at most `too_many`. So
// the oldest go first, and nodes need not agree about which.
bool dead_keeper::plan_for_number(std::uint64_t too_many) {
  const std::uint64_t shards = with_.terms.shards();
  const auto of_each = static_cast<std::size_t>(std::clamp<std::uint64_t>(too_many / shards, 1, most_a_piece));
  std::vector<stored_time> deaths(shards);
  if (!with_.problems.ok(trouble::of::dead, with_.in.look_at_deaths(of_each, deaths))) return false;
  const auto oldest = std::ranges::min_element(deaths);
  if (*oldest == stored_time::max()) return true;
  const auto first = static_cast<shard_id>(oldest - deaths.begin());
  for (shard_id shard = 0; shard != shards; ++shard)
    if (owns(shard) && (too_many >= shards || shard == first))
      pieces_.push_back({shard, *oldest + std::chrono::microseconds(1), of_each});
  return true;
}

bool dead_keeper::plan() {
  std::vector<shard_state> states(with_.terms.shards());
  if (!with_.problems.ok(trouble::of::dead, with_.in.look(states))) return false;
  std::uint64_t dead = 0;
  for (const shard_state& its : states) dead += its.dead;
  with_.counted.now.dead_in_store = dead;
  if (dead == 0 || !has_limits()) return true;
  if (!plan_for_age()) return false;
  if (!pieces_.empty() || holds_->most == 0 || dead <= holds_->most) return true;
  return plan_for_number(dead - holds_->most);
}

bool dead_keeper::erase() {
  piece& now = pieces_.front();
  list_request which;
  which.shard = now.shard;
  which.dead = true;
  which.until = now.until;
  which.after = now.after;
  which.limit = std::min(now.limit, most_a_piece);
  purge_page out;
  if (owns(now.shard) && !with_.problems.ok(trouble::of::dead, with_.in.purge(which, out))) return false;
  now.limit -= out.erased;
  now.after = std::move(out.next);
  if (now.after.empty() || now.limit == 0) pieces_.pop_front();
  return true;
}

void dead_keeper::work() {
  const std::chrono::nanoseconds began = with_.clock.elapsed();
  // Virtual time makes a pass only after something has happened, and its calls take no time, so there are no pauses.
  const bool is_virtual = with_.clock.are_virtual();
  if (began < work_at_ && !is_virtual) return;
  if (began < with_.problems.retry_at(trouble::of::dead)) return;
  const std::chrono::nanoseconds period =
      std::max(between_counts, longer_a_shard * static_cast<int>(with_.terms.shards()));
  work_at_ = is_virtual ? std::chrono::nanoseconds::max() : began + period;
  const bool had = !pieces_.empty();
  if (had ? !erase() : !plan()) return;
  const std::chrono::nanoseconds now = with_.clock.elapsed();
  if (had || !pieces_.empty()) work_at_ = now + pause * (now - began);
}

}  // namespace detent::durable::detail
