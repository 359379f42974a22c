// SPDX-License-Identifier: MIT
// Executors: "a timer that came due and was handed over. Calling it runs the callback, unless cancel() or restart won
// meanwhile; destroyed uncalled, the timer is dropped and counted." (fired_timer)
#include "spec/engine.hpp"

#include <algorithm>
#include <utility>

namespace detent::spec {

// refusal_policy: "run_inline: on the worker; but retried where executor::keeps_order(), as by a keyed_pool"
bool engine::keeps_for_retry(unsigned executor) const {
  return made_with_.on_refusal == refusal_policy::retry ||
         (made_with_.on_refusal == refusal_policy::run_inline && made_with_.executors[executor].keeps_order);
}

// The first that an executor has refused and that has not been cancelled or restarted since.
const timer* engine::first_for_retry(unsigned executor) const {
  const auto queue = retries_.find(executor);
  if (queue == retries_.end()) return nullptr;
  for (const auto& [id, ticket] : queue->second) {
    if (at(id).now == phase::handed && at(id).ticket == ticket && at(id).kept_for_retry) return &at(id);
  }
  return nullptr;
}

void engine::hand_over(timer& t) {
  t.now = phase::handed;
  t.ticket = ++tickets_;
  t.kept_for_retry = false;
  const group* of = group_of(t);
  t.pauses = of == nullptr ? 0 : of->pauses;
}

void engine::keep_for_retry(timer& t) {
  t.kept_for_retry = true;
  retries_[t.asked.executor].emplace_back(t.id, t.ticket);
}

// "An executor is offered timers in that order; refused work included, where it is retried" (G16): while one waits to
// be offered again, what comes due for that executor waits behind it. The executor does not hear of it.
void engine::take_silent_turns_before(const timer* t) {
  while (!retries_.empty()) {
    const std::vector<timer_id> all = turns_to_come();
    const auto first = std::find_if(all.begin(), all.end(), [&](timer_id id) {
      const timer& each = at(id);
      if (first_for_retry(each.asked.executor) == nullptr) return false;
      return t == nullptr || goes_before(each, due(each), *t, due(*t));
    });
    if (first == all.end() || pass_.turns >= pass_.most) return;
    timer& kept = at(*first);
    kept.turn_in = pass_.number;
    ++pass_.turns;
    hand_over(kept);
    keep_for_retry(kept);
  }
}

timer_id engine::next_offer(unsigned executor, std::uint64_t tag) const {
  const timer* again = first_for_retry(executor);
  if (again != nullptr && again->asked.tag == tag) return again->id;
  for (const timer_id id : turns_to_come()) {
    if (at(id).asked.executor == executor && at(id).asked.tag == tag) return id;
  }
  return 0;
}

void engine::offered(timer_id id, unsigned executor) {
  timer& t = at(id);
  broke.require(t.asked.executor == executor, "a timer goes to another executor than its own");
  if (t.now == phase::handed && t.kept_for_retry) {
    broke.require(first_for_retry(executor) == &t, "what was refused is offered out of order");
    return;
  }
  broke.require(t.now == phase::waiting && !t.cancelled_by_group, "an executor is offered what does not wait");
  take_turn(t);
  broke.require(first_for_retry(executor) == nullptr, "a timer overtakes what its executor has refused");
  hand_over(t);
}

void engine::taken(timer_id id) {
  timer& t = at(id);
  if (!std::exchange(t.kept_for_retry, false)) return;
  std::erase(retries_[t.asked.executor], std::pair(t.id, t.ticket));
}

void engine::refused(timer_id id) {
  timer& t = at(id);
  ++all_.refused;
  if (t.kept_for_retry) return;  // and stays where it is
  if (keeps_for_retry(t.asked.executor)) return keep_for_retry(t);
  if (made_with_.on_refusal == refusal_policy::drop) return drop_run(t, pass_.by);
  called_ = id;  // by the engine itself
}

// "Timers keep the time they have left; of those already handed to an executor, what has not started goes back."
// (timer_group::pause) So a ticket of before a pause does not run its timer, which waits in the engine once more, in
// the place that it had: "what a pause puts back keeps its place" (G15).
bool engine::called(timer_id id, std::uint64_t ticket) {
  timer& t = at(id);
  if (t.now != phase::handed || t.ticket != ticket || t.kept_for_retry || t.cancelled_by_group) return false;
  if (const group* of = group_of(t); of != nullptr && of->pauses != t.pauses) {
    t.now = phase::waiting;
    return false;
  }
  if (is_stale(t) && t.asked.stale == stale_policy::drop) {
    end(t, ending::dropped);
    return false;
  }
  called_ = id;
  return true;
}

void engine::let_go(timer_id id, std::uint64_t ticket, thread_id on) {
  timer& t = at(id);
  if (t.now == phase::handed && t.ticket == ticket && !t.cancelled_by_group) drop_run(t, on);
}

// A one-shot is "dropped and counted". Of a periodic timer it is the run that is dropped: it counts as missed, with
// what the policy skips beside it, and "the next period comes as if it had run" (overload.md): inside a pass it has had
// its turn.
void engine::drop_run(timer& t, thread_id on) {
  if (!t.periodic()) return end(t, ending::dropped);
  const std::uint64_t missed = begin_period(t, due_at_start(t)).missed + 1;
  for (counts* each : counts_of(t)) each->missed += missed;
  t.moved = false;
  if (pass_.how != drive::none && on == pass_.by) t.turn_in = pass_.number;
  arm_next_period(t, on);
}

}  // namespace detent::spec
