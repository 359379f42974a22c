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

// It has not been cancelled or restarted since.
bool engine::still_waits(const kept& of) const {
  const timer& t = at(of.id);
  return t.now == phase::handed && t.ticket == of.ticket && t.kept_for_retry;
}

engine::kept* engine::first_kept(unsigned executor) {
  for (kept& each : retries_[executor]) {
    if (still_waits(each)) return &each;
  }
  return nullptr;
}

const timer* engine::first_for_retry(unsigned executor) {
  const kept* first = first_kept(executor);
  return first == nullptr ? nullptr : &at(first->id);
}

// Equal deadlines of two threads, of whose turns nobody heard: their order is not known before they are offered. A pass
// that ended by its bound may have left over the one or the other for the next.
bool engine::may_overtake(const kept& a, const kept& b) const {
  const timer &one = at(a.id), &other = at(b.id);
  const bool together = a.silently == b.silently || b.in_bounded_pass;
  return a.silently != 0 && b.silently != 0 && together && a.due == b.due && one.asked.lane == other.asked.lane &&
         one.armer != other.armer;
}

void engine::hand_over(timer& t) {
  t.now = phase::handed;
  t.ticket = ++tickets_;
  t.kept_for_retry = false;
}

// "What waits in an executor's queue goes back to the engine when its turn comes while the group is paused. From then
// on all members that were handed over before go back as well, even if the group has been resumed since" (groups.md),
// each to the place that it had: "what a pause puts back keeps its place" (G15). True: it has gone back.
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

// "[A hand-over] that was refused and waits to be offered again goes back at its turn." (groups.md)
const timer* engine::take_back_for_retry(unsigned executor) {
  for (;;) {
    const timer* first = first_for_retry(executor);
    if (first == nullptr || !goes_back(at(first->id))) return first;
  }
}

void engine::look_at_refused() {
  for (unsigned i = 0; i < made_with_.executors.size(); ++i) static_cast<void>(take_back_for_retry(i));
}

// A pass begins by what was refused, one executor after the other, each until it refuses once more; up to `next`, which
// is offered now. 0: it has ended.
void engine::offer_again_until(timer_id next) {
  for (; pass_.retrying < made_with_.executors.size(); ++pass_.retrying) {
    if (std::exchange(pass_.refused_again, false)) continue;
    const timer* first = take_back_for_retry(pass_.retrying);
    if (first == nullptr) continue;
    broke.require(first->id == next, "what was refused is not offered again");
    return;
  }
}

// "An executor is offered timers in that order; refused work included, where it is retried" (G16): while one waits to
// be offered again, what comes due for that executor waits behind it. The executor does not hear of it.
void engine::take_silent_turns_before(const timer* t) {
  while (!retries_.empty()) {
    const std::vector<timer_id> all = turns_to_come();
    const auto first = std::find_if(all.begin(), all.end(), [&](timer_id id) {
      const timer& each = at(id);
      if (first_for_retry(each.asked.executor) == nullptr || is_too_stale(each)) return false;
      return t == nullptr || goes_before(each, due(each), *t, due(*t));
    });
    if (first == all.end() || pass_.turns >= pass_.most) return;
    timer& behind = at(*first);
    behind.turn_in = pass_.number;
    ++pass_.turns;
    const nanoseconds_t due_then = due(behind);
    hand_over(behind);
    keep_for_retry(behind);
    kept& last = retries_[behind.asked.executor].back();
    last.silently = pass_.number;
    last.due = due_then;
    last.in_bounded_pass = pass_.most != SIZE_MAX;
  }
}

// Whether nothing is before it in the queue, or nothing that it may not overtake.
bool engine::may_be_offered_again(const kept& wanted) const {
  for (const kept& each : retries_.at(at(wanted.id).asked.executor)) {
    if (each.ticket == wanted.ticket) return true;
    if (still_waits(each) && !may_overtake(wanted, each)) return false;
  }
  return false;
}

timer_id engine::next_offer(unsigned executor, std::uint64_t tag) {
  for (unsigned i = pass_.retrying + (pass_.refused_again ? 1 : 0); i <= executor; ++i)
    static_cast<void>(take_back_for_retry(i));
  if (const auto queue = retries_.find(executor); queue != retries_.end()) {
    for (const kept& each : queue->second) {
      if (still_waits(each) && at(each.id).asked.tag == tag && may_be_offered_again(each)) return each.id;
    }
  }
  for (const timer_id id : turns_to_come()) {
    if (at(id).asked.executor == executor && at(id).asked.tag == tag) return id;
  }
  return 0;
}

// Equal deadlines of two threads, of whose turns nobody heard, once more: a pass that ended by its bound may have left
// over the one or the other. If it was the other, they change places here.
void engine::may_have_waited_instead(timer& t) {
  if (pass_.retrying > t.asked.executor || t.now != phase::waiting || is_stopped_by_its_group(t)) return;
  kept* const first = first_kept(t.asked.executor);
  if (first == nullptr || !first->in_bounded_pass || first->due != due(t)) return;
  timer& other = at(first->id);
  if (other.asked.lane != t.asked.lane || other.armer == t.armer) return;
  other.now = phase::waiting;
  other.kept_for_retry = false;
  hand_over(t);
  t.kept_for_retry = true;
  first->id = t.id;
  first->ticket = t.ticket;
}

// It is the first that is offered again: so it was ahead of those that it may overtake.
void engine::put_first_for_retry(const timer& t) {
  std::deque<kept>& queue = retries_[t.asked.executor];
  const auto wanted =
      std::find_if(queue.begin(), queue.end(), [&t](const kept& each) { return each.ticket == t.ticket; });
  if (wanted != queue.end() && may_be_offered_again(*wanted)) std::rotate(queue.begin(), wanted, wanted + 1);
}

void engine::offered(timer_id id, unsigned executor) {
  timer& t = at(id);
  broke.require(t.asked.executor == executor, "a timer goes to another executor than its own");
  may_have_waited_instead(t);
  if (t.now == phase::handed && t.kept_for_retry) {
    put_first_for_retry(t);
    offer_again_until(id);
    broke.require(pass_.retrying == executor && first_for_retry(executor) == &t,
                  "what was refused is offered out of order");
    return;
  }
  broke.require(t.now == phase::waiting && !t.cancelled_by_group, "an executor is offered what does not wait");
  broke.require(!is_too_stale(t), "an executor is offered what is dropped");
  take_turn(t);
  broke.require(first_for_retry(executor) == nullptr, "a timer overtakes what its executor has refused");
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
  if (t.kept_for_retry) {  // and stays where it is
    pass_.refused_again = true;
    return;
  }
  if (keeps_for_retry(t.asked.executor)) return keep_for_retry(t);
  if (made_with_.on_refusal == refusal_policy::drop) return drop_run(t, pass_.by);
  called_ = id;  // by the engine itself
}

// "Timers keep the time they have left; of those already handed to an executor, what has not started goes back."
// (timer_group::pause)
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

// A one-shot is "dropped and counted". Of a periodic timer it is the run that is dropped: it counts as missed, with
// what the policy skips beside it, and "the next period comes as if it had run" (overload.md): inside a pass it has had
// its turn.
void engine::drop_run(timer& t, thread_id on) {
  if (!t.periodic()) return end(t, ending::dropped);
  const std::uint64_t missed = begin_period(t, due_at_start(t)).missed + 1;
  for (counts* each : counts_of(t)) each->missed += missed;
  t.moved = false;
  if (pass_.how != drive::none && on == pass_.by) t.turn_in = pass_.number;  // it has had its turn, as if it had run
  arm_next_period(t, on);
}

}  // namespace detent::spec
