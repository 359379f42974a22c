// SPDX-License-Identifier: MIT
#include "support/ledger.hpp"

#include "support/runner.hpp"

#include <thread>
#include <unordered_map>

namespace stress {

void tally::count_end(outcome how) noexcept {
  ended_fired += how == outcome::fired;
  ended_cancelled += how == outcome::cancelled;
  ended_returned += how == outcome::returned;
  ended_dropped += how == outcome::dropped;
}

tally& tally::operator+=(const tally& other) noexcept {
  operations += other.operations;
  scheduled += other.scheduled;
  refused += other.refused;
  cancelled += other.cancelled;
  restarted += other.restarted;
  ended_fired += other.ended_fired;
  ended_cancelled += other.ended_cancelled;
  ended_returned += other.ended_returned;
  ended_dropped += other.ended_dropped;
  return *this;
}

void ledger::take_note(tally& counts, const sighting& seen, detent::cancel_result answer) noexcept {
  counts.cancelled += answer == detent::cancel_result::cancelled;
  if (answer != detent::cancel_result::gone || seen.of->ended(seen.life)) return;
  std::size_t first = first_.load(std::memory_order_relaxed);
  if (first + window_ < size()) first_.compare_exchange_strong(first, first + 1, std::memory_order_relaxed);
}

void ledger::returned(std::vector<detent::unfired>&& left, random_numbers& random) {
  std::unordered_map<detent::timer, sighting> on;
  for (account& each : accounts_) {
    if (sighting seen = each.look(); seen && !each.ended(seen.life)) on.emplace(seen.handle, seen);
  }
  for (detent::unfired& each : left) {
    auto found = on.find(each.handle);
    require(found != on.end(), "stop() returned a timer that had ended");
    const sighting& seen = found->second;
    seen.of->end(seen.life, outcome::returned);
    require(!each.handle.pending() && seen.of->cancel(seen) == detent::cancel_result::gone,
            "a returned timer's handle is alive");
    if (random.one_in(2)) each.run();
  }
  left.clear();
}

std::uint64_t ledger::end_silent(outcome how) {
  std::uint64_t ended = 0;
  for (account& each : accounts_) {
    if (sighting seen = each.look(); seen && !each.ended(seen.life)) {
      each.end(seen.life, how);
      ++ended;
    }
  }
  return ended;
}

void ledger::await_ends() {
  const auto latest = detent::clock::now() + std::chrono::minutes(1);
  for (account& each : accounts_) {
    while (true) {
      sighting seen = each.look();
      if (!seen || each.ended(seen.life)) break;
      require(detent::clock::now() < latest, "a timer neither fires nor ends");
      std::this_thread::yield();
    }
  }
}

void ledger::settle() {
  for (account& each : accounts_) total_.count_end(each.settle());
}

void ledger::balance(const detent::engine_metrics* reported) {
  settle();
  const tally& mine = total_;
  const std::uint64_t ended = mine.ended_fired + mine.ended_cancelled + mine.ended_returned + mine.ended_dropped;
  require(mine.scheduled == ended, "the ledger does not balance: scheduled is not what ended");
  require(mine.cancelled == mine.ended_cancelled, "the ledger does not balance: cancels");
  if (reported == nullptr) return;
  require(reported->pending == 0, "the metrics: something is pending");
  require(reported->scheduled == reported->expired + reported->cancelled + reported->returned + reported->dropped,
          "the metrics do not add up");
  require(reported->fired == mine.ended_fired, "the metrics: fired");
  require(reported->dropped == mine.ended_dropped, "the metrics: dropped");
  require(reported->restarted == mine.restarted, "the metrics: restarted");
  require(reported->scheduled >= mine.scheduled && reported->scheduled <= mine.scheduled + mine.refused,
          "the metrics: scheduled");
  // A cancel that comes while a timer runs counts there, and is a run here.
  require(reported->cancelled >= mine.cancelled &&
              reported->expired + reported->cancelled == mine.ended_fired + mine.cancelled,
          "the metrics: expired and cancelled");
}

}  // namespace stress
