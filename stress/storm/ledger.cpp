// SPDX-License-Identifier: MIT
#include "storm/ledger.hpp"

#include "storm/runner.hpp"

#include <unordered_map>

namespace stress {

void tally::count_end(outcome how) noexcept {
  ended_fired += how == outcome::fired;
  ended_cancelled += how == outcome::cancelled;
  ended_returned += how == outcome::returned;
  ended_silent += how == outcome::silent;
}

tally& tally::operator+=(const tally& other) noexcept {
  for (auto each : {&tally::operations, &tally::threads, &tally::engines, &tally::scheduled, &tally::refused,
                    &tally::restarted, &tally::cancelled, &tally::cancelled_silent, &tally::ended_fired,
                    &tally::ended_cancelled, &tally::ended_returned, &tally::ended_silent})
    this->*each += other.*each;
  return *this;
}

ledger::ledger(std::size_t accounts, detent::duration tick) : accounts_(accounts) {
  facts_.tick = tick;
  for (account& each : accounts_) each.serve(facts_);
}

void ledger::returned(std::vector<detent::unfired_timer>&& left, random_numbers& random) {
  std::unordered_map<detent::timer, sighting> on;
  for (account& each : accounts_) {
    if (sighting seen = each.look(); seen && !each.ended(seen.life)) on.emplace(seen.handle, seen);
  }
  for (detent::unfired_timer& each : left) {
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

void ledger::end_all() {
  for (account& each : accounts_) {
    if (sighting seen = each.look(); seen && !seen.silent && !each.ended(seen.life))
      each.end(seen.life, outcome::returned);
  }
}

void ledger::await_ends() {
  const auto latest = detent::clock::now() + std::chrono::minutes(1);
  for (account& each : accounts_) {
    while (true) {
      sighting seen = each.look();
      if (!seen || each.ended(seen.life)) break;
      if (seen.loose) total_.cancelled_silent += each.cancel(seen) == detent::cancel_result::cancelled;
      require(detent::clock::now() < latest, "a timer neither fires nor ends");
      std::this_thread::yield();
    }
  }
}

void ledger::settle() {
  for (account& each : accounts_) {
    total_.count_end(each.settle());
    runs_ += each.runs();
  }
}

void ledger::balance(const detent::engine_metrics& reported, bool may_drop, bool exact_drops) {
  settle();
  const tally& mine = total_;
  require(mine.scheduled == mine.ended_fired + mine.ended_cancelled + mine.ended_returned + mine.ended_silent,
          "the ledger does not balance: scheduled is not what ended");
  require(mine.cancelled == mine.ended_cancelled, "the ledger does not balance: cancels");
  require(reported.pending == 0, "the metrics: something is pending");
  require(reported.scheduled == reported.expired + reported.cancelled + reported.returned + reported.dropped,
          "the metrics do not add up");
  require(reported.fired == runs_, "the metrics: fired");
  require(reported.restarted == mine.restarted, "the metrics: restarted");
  require(reported.returned == mine.ended_returned, "the metrics: returned");
  require(may_drop || reported.dropped == 0, "timers were dropped");
  require(reported.scheduled >= mine.scheduled && reported.scheduled <= mine.scheduled + mine.refused,
          "the metrics: scheduled");
  // A cancel that comes while a timer runs counts there, and is a run here.
  require(reported.cancelled >= mine.cancelled + mine.cancelled_silent, "the metrics: cancelled");
  if (exact_drops)
    require(reported.expired + reported.cancelled == runs_ + mine.cancelled + mine.cancelled_silent,
            "the metrics: expired and cancelled");
}

}  // namespace stress
