// SPDX-License-Identifier: MIT
// Executors. What they are offered is "a timer that came due and was handed over. Calling it runs the callback, unless
// a cancel() or a restart came first. If it is destroyed uncalled, a one-shot is dropped and counted as such; a
// periodic timer goes on with its next run, and counts this one as missed." (fired_timer) Here it is called a ticket.
#include "spec/engine.hpp"

#include <algorithm>
#include <utility>

namespace detent::spec {

// refusal_policy::retry offers the timer again. So does refusal_policy::run_inline for some executors: "on the worker;
// retried if executor::keeps_order(), as by a keyed_pool".
bool engine::keeps_for_retry(unsigned executor) const {
  return made_with_.on_refusal == refusal_policy::retry ||
         (made_with_.on_refusal == refusal_policy::run_inline && made_with_.executors[executor].keeps_order);
}

// Returns whether the timer was neither cancelled nor restarted since its refusal.
bool engine::still_waits(const kept& of) const {
  const timer& t = at(of.id);
  return t.now == phase::handed && t.ticket == of.ticket && t.kept_for_retry;
}

const timer* engine::first_for_retry(unsigned executor) {
  const std::deque<kept>& queue = retries_[executor];
  const auto first = std::find_if(queue.begin(), queue.end(), [this](const kept& each) { return still_waits(each); });
  return first == queue.end() ? nullptr : &at(first->id);
}

// Returns whether a timer that will not go back waits for the same executor to take it.
bool engine::is_behind_refused(const timer& t) const {
  const auto queue = retries_.find(t.asked.executor);
  if (queue == retries_.end()) return false;
  return std::any_of(queue->second.begin(), queue->second.end(), [this](const kept& each) {
    const group* const of = still_waits(each) ? group_of(at(each.id)) : nullptr;
    return still_waits(each) && (of == nullptr || !(of->paused || of->scattered));
  });
}

void engine::hand_over(timer& t) {
  t.now = phase::handed;
  t.ticket = ++tickets_;
  t.kept_for_retry = false;
}

// "If a member's turn in an executor's queue comes while the group is paused, the member goes back to the engine."
// "From then on all members that were handed over earlier go back as well, even if the group has been resumed"
// (groups.md). "A timer that a pause puts back keeps its place" (G15). Returns true if the timer has gone back.
bool engine::goes_back(timer& t) {
  group* of = group_of(t);
  if (of == nullptr || t.cancelled_by_group || !(of->paused || of->scattered)) return false;
  of->scattered = true;
  t.now = phase::waiting;
  t.kept_for_retry = false;
  return true;
}

void engine::keep_for_retry(timer& t) {
  t.kept_for_retry = true;
  retries_[t.asked.executor].push_back({.id = t.id, .ticket = t.ticket});
}

// "A member that the executor had refused goes back when it would be offered again as the first." (groups.md)
const timer* engine::take_back_for_retry(unsigned executor) {
  for (;;) {
    const timer* first = first_for_retry(executor);
    if (first == nullptr || !goes_back(at(first->id))) return first;
  }
}

void engine::look_at_refused() {
  for (unsigned i = 0; i < made_with_.executors.size(); ++i) static_cast<void>(take_back_for_retry(i));
}

// A pass begins with the refused timers, one executor after the other, each until it refuses again. "Those that
// executors had refused are offered again first, beyond that bound" of max_callbacks (engine::poll). `next` is the
// timer that is being offered now; if it is 0, that part of the pass has ended.
void engine::offer_again_until(timer_id next) {
  for (; pass_.retrying < made_with_.executors.size(); ++pass_.retrying) {
    if (std::exchange(pass_.refused_again, false)) continue;
    const timer* first = take_back_for_retry(pass_.retrying);
    if (first == nullptr) continue;
    broke.require(first->id == next, "a refused timer is not offered again");
    return;
  }
}

// "An executor is offered timers in that order" of their deadlines, "including refused ones, if they are retried"
// (G16). While a refused timer waits for its next offer, timers that come due for the same executor wait behind it.
// They are not offered.
void engine::take_silent_turns_before(const timer* t) {
  const auto waits = [](const auto& of_executor) { return !of_executor.second.empty(); };
  while (pass_.turns < pass_.most && std::any_of(retries_.begin(), retries_.end(), waits)) {
    const timer_id first = first_turn([&](const timer& each) {
      if (first_for_retry(each.asked.executor) == nullptr || is_too_stale(each)) return false;
      return t == nullptr || goes_before(each, due(each), *t, due(*t));
    });
    if (first == 0) return;
    timer& behind = at(first);
    behind.turn_in = pass_.number;
    ++pass_.turns;
    hand_over(behind);
    keep_for_retry(behind);
  }
}

timer_id engine::next_offer(unsigned executor, std::uint64_t tag) {
  for (unsigned i = pass_.retrying + (pass_.refused_again ? 1 : 0); i <= executor; ++i)
    static_cast<void>(take_back_for_retry(i));
  if (const timer* first = first_for_retry(executor); first != nullptr && first->asked.tag == tag) return first->id;
  return first_turn([=](const timer& each) { return each.asked.executor == executor && each.asked.tag == tag; });
}

void engine::offered(timer_id id, unsigned executor) {
  timer& t = at(id);
  broke.require(t.asked.executor == executor, "a timer goes to another executor than its own");
  if (t.now == phase::handed && t.kept_for_retry) {
    offer_again_until(id);
    broke.require(pass_.retrying == executor && first_for_retry(executor) == &t,
                  "a refused timer is offered out of order");
    return;
  }
  broke.require(t.now == phase::waiting && !t.cancelled_by_group, "an executor is offered a timer that does not wait");
  broke.require(!is_too_stale(t), "an executor is offered a stale timer");
  take_turn(t);
  broke.require(first_for_retry(executor) == nullptr, "a timer overtakes one that its executor has refused");
  hand_over(t);
}

void engine::taken(timer_id id) {
  timer& t = at(id);
  if (!std::exchange(t.kept_for_retry, false)) return;
  std::erase_if(retries_[t.asked.executor], [&t](const kept& each) { return each.ticket == t.ticket; });
}

void engine::refused(timer_id id) {
  timer& t = at(id);
  ++all_.refused;
  if (t.kept_for_retry) {  // it stays where it is
    pass_.refused_again = true;
    return;
  }
  if (keeps_for_retry(t.asked.executor)) return keep_for_retry(t);
  if (made_with_.on_refusal == refusal_policy::drop) return drop_run(t, pass_.by);
  called_ = id;  // called by the engine itself
}

// "Of the timers that were handed to an executor, those that have not started go back when their turn comes."
// (timer_group::pause) "A timer that becomes too late in the executor's queue is dropped there." (overload.md)
bool engine::called(timer_id id, std::uint64_t ticket) {
  timer& t = at(id);
  if (t.now != phase::handed || t.ticket != ticket || t.kept_for_retry || t.cancelled_by_group) return false;
  if (goes_back(t)) return false;
  if (is_too_stale(t)) {
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

// "A one-shot ends, and is counted as `dropped`." Of a periodic timer only the run is dropped: "The run is counted in
// `metrics().missed`, and the next period comes as if it had run. A dropped run does not count towards `runs`."
// (overload.md) The periods that the policy skips count as missed too, and inside a pass the timer has had its turn.
void engine::drop_run(timer& t, thread_id on) {
  if (!t.periodic()) return end(t, ending::dropped);
  const std::uint64_t missed = begin_period(t, due_at_start(t)).missed + 1;
  for (counts* each : counts_of(t)) each->missed += missed;
  t.moved = false;
  if (pass_.how != drive::none && on == pass_.by) t.turn_in = pass_.number;  // it has had its turn, as if it had run
  arm_next_period(t, on);
}

}  // namespace detent::spec
