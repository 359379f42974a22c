// SPDX-License-Identifier: MIT
#include "stall_watch.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::chrono::nanoseconds between_reasons = std::chrono::minutes(1);
constexpr std::chrono::nanoseconds between_full_counts = std::chrono::seconds(10);  // a count may read the whole store

std::string ms(std::chrono::nanoseconds its) {
  return std::to_string(std::chrono::round<std::chrono::milliseconds>(its).count()) + " ms";
}

std::string waiting_text(std::uint64_t count) {
  return count == 1 ? "1 stored timer waits" : std::to_string(count) + " stored timers wait";
}

}  // namespace

std::uint64_t stall_watch::count_unowned() {
  const std::chrono::nanoseconds now = with_.clock.elapsed();
  if (now < count_at_) return unowned_;
  count_at_ = now + between_full_counts;
  // If the store fails, the old figure stays, and the error is reported.
  if (with_.terms.look() == errc{}) unowned_ = with_.terms.unowned();
  return unowned_;
}

stall_watch::finding stall_watch::of_clock() {
  const std::uint64_t waiting = count_unowned();
  const duration off = with_.counted.now.skew;
  return {stall::clock_off, waiting,
          waiting_text(waiting) + ", no shard is taken, because this node's clock is off by " +
              ms(std::chrono::abs(off)) + (off < duration(0) ? " (ahead of the store's)" : " (behind the store's)") +
              ", more than max_skew (" + ms(with_.how.max_skew) + ")"};
}

stall_watch::finding stall_watch::of_unknown_handlers(const state& now) const {
  std::set<std::string> names;
  const stored_time time = with_.clock.wall_now();
  for (shard_id shard = 0; shard < with_.terms.shards(); ++shard)
    for (const auto& [name, lack] : with_.terms.of(shard).lacks) {
      const auto has = [&, &lack = lack](const std::string& node) { return now.with.has(node, lack.needs); };
      if (lack.due <= time && std::ranges::none_of(now.with.nodes, has)) names.insert(name);
    }
  if (names.empty()) return {};
  std::string line = waiting_text(now.unarmed) + ", because no node has the handler \"" + *names.begin() + "\"";
  if (names.size() > 1) line += ", nor " + std::to_string(names.size() - 1) + " others";
  return {stall::unknown_handler, now.unarmed, std::move(line), true};
}

stall_watch::finding stall_watch::find(const state& now) {
  if (now.clock_off) return of_clock();
  const bool has_shards = with_.terms.owned() != 0;
  if (now.problem != errc{} && !has_shards)  // `trouble` reports that
    return {stall::store_away, unowned_, make_error_code(now.problem).message(), false};
  if (now.unarmed != 0)
    if (finding found = of_unknown_handlers(now); found.reason != stall::none) return found;
  if (has_shards) return {};
  unowned_ = with_.terms.unowned();
  if (unowned_ == 0) return {stall::no_shard, 0, "this node stands by, as others have all shards", false};
  return {stall::no_shard, unowned_, waiting_text(unowned_) + " in shards that no node has taken yet", true};
}

void stall_watch::look(const state& now) {
  say_lease();
  finding found = find(now);
  const std::chrono::nanoseconds time = with_.clock.elapsed();
  if (std::exchange(last_, found.reason) != found.reason) {
    since_ = time;
    say_at_ = {};
  }
  // All other reasons occur for a while whenever nodes come and go.
  if (found.reason != stall::clock_off && time - since_ < with_.terms.lease() * 2) found = {};
  with_.counted.now.stalled = found.reason;
  with_.counted.now.waiting = found.waiting;
  show(found);
  if (found.reason == stall::none || !found.is_trouble || time < say_at_) return;
  say_at_ = time + between_reasons;
  const errc code = found.reason == stall::unknown_handler ? errc::unknown_handler : errc::not_permitted;
  with_.problems.report(code, found.line);
}

void stall_watch::show(const finding& found) noexcept {
  std::string line;
  if (found.reason != stall::none) line.append(name_of(found.reason)).append(": ").append(found.line);
  if (line == shown_ && found.waiting == shown_waiting_) return;
  with_.on.show_stall(line.c_str(), found.waiting);
  shown_ = std::move(line);
  shown_waiting_ = found.waiting;
}

void stall_watch::say_lease() {
  const bool is_longer = with_.terms.lease() > with_.how.lease + std::chrono::milliseconds(1);
  if (std::exchange(said_lease_, said_lease_ || is_longer) == said_lease_) return;
  with_.problems.report(make_error_code(detent::errc::invalid_option),
                        "durable::options::lease = " + ms(with_.how.lease) + ": a round trip to the store takes " +
                            ms(with_.terms.trip()) + ", so leases of " + ms(with_.terms.lease()) + " are taken");
}

}  // namespace detent::durable::detail
