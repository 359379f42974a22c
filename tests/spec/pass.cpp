// SPDX-License-Identifier: MIT
// In which order timers have their turn, what their runs report, and what follows a run.
#include "spec/engine.hpp"

#include <algorithm>
#include <iterator>

namespace detent::spec {
namespace {

std::string described(const timer& t) {
  return "timer " + std::to_string(t.id) + " (lane " + std::to_string(t.asked.lane) + ", armed " +
         std::to_string(t.order) + ", group " + std::to_string(t.asked.group) + ")";
}

std::string text_of(const run_report& run) {
  return "deadline " + std::to_string(run.deadline) + ", lateness " + std::to_string(run.lateness) + ", missed " +
         std::to_string(run.missed) + ", tag " + std::to_string(run.tag) + (run.stale ? ", stale" : "");
}

}  // namespace

// --- Order

// The driver must look at a timer at its deadline; with slack, at "the roundest time in that stretch" (overload.md), on
// the tick.
nanoseconds_t engine::ready_at(const timer& t) const {
  const nanoseconds_t deadline = due(t);
  return t.asked.slack == 0 ? deadline : rounded_down(roundest(deadline, t.asked.slack), made_with_.tick);
}

bool engine::is_stopped_by_its_group(const timer& t) const {
  const group* of = group_of(t);
  return t.cancelled_by_group || (of != nullptr && of->paused);
}

// Returns whether its turn comes in this pass, if nothing changes. "poll fires what is due at one reading of the clock,
// in order. It also fires what callbacks arm for that instant, but each timer at most once." (engine::poll)
bool engine::waits_in_pass(const timer& t) const {
  if (pass_.how == drive::none || t.now != phase::waiting || is_stopped_by_its_group(t)) return false;
  if (t.turn_in == pass_.number || ready_at(t) > pass_.now) return false;
  // "After a resumption the engine hands over members once it has gone through all of them" (groups.md).
  const group* of = group_of(t);
  return of == nullptr || !hands_over() || !(of->unswept || of->scattered);
}

// "Among due timers, higher lanes run first. Inside a lane the order by deadline and arming is exact." (overload.md)
// Among equal deadlines, "between threads there is no order" (G15).
bool engine::goes_before(const timer& a, nanoseconds_t due_a, const timer& b, nanoseconds_t due_b) {
  if (a.asked.lane != b.asked.lane) return a.asked.lane > b.asked.lane;
  if (due_a != due_b) return due_a < due_b;
  return a.armer == b.armer && a.order < b.order;
}

// It is `t`'s turn: no timer that goes before it may be waiting.
//
// There are two freedoms. Members of a group that was resumed in this very pass may have to wait for the next one: "The
// driver goes through the members later" (groups.md). And a worker orders by deadline "among all that the driver has
// drained when it starts a batch" (G14), but "among equal deadlines of a thread, the first armed fires first" (G15) in
// any case.
//
// If polls are inferred (run.hpp), the first freedom leaves open in which of two polls such a member has its turn.
// Until time goes on, an event that seems to belong to one poll may then belong to the next one.
void engine::take_turn(timer& t) {
  offer_again_until(0);
  take_silent_turns_before(&t);
  broke.require(pass_.how != drive::none, "a timer has its turn though no thread drives", [&] { return described(t); });
  broke.require(t.turn_in != pass_.number, "a timer has its turn twice in a pass", [&] { return described(t); });
  broke.require(ready_at(t) <= pass_.now, "a timer has its turn before it is due", [&] { return described(t); });
  const nanoseconds_t due_t = due(t);
  for (const timer_id id : live_) {
    const timer& other = at(id);
    if (id == t.id || !waits_in_pass(other) || other.turn_may_be == pass_.number) continue;
    if (const group* of = group_of(other); of != nullptr && of->unswept) continue;
    const nanoseconds_t due_other = due(other);
    const bool equal = other.asked.lane == t.asked.lane && due_other == due_t && other.armer == t.armer;
    if (other.order > pass_.drained && !equal) continue;
    broke.require(!goes_before(other, due_other, t, due_t), "order", [&] {
      return described(t) + " due at " + std::to_string(due_t) + " has its turn before " + described(other) +
             " due at " + std::to_string(due_other);
    });
  }
  t.turn_in = pass_.number;
  const group* const of_t = group_of(t);
  pass_.may_be_over |= pass_.is_inferred && of_t != nullptr && of_t->unswept;
  if (pass_.may_be_over) t.turn_may_be = pass_.number + 1;
  ++pass_.turns;
  broke.require(pass_.turns <= pass_.most, "poll() runs more than it was allowed to");
}

// "`poll()` handles at most 100,000 members a call" (groups.md). If there may be more, it is open which of them the
// driver has gone through.
void engine::begin_pass(const pass& begun) {
  const bool is_open = begun.is_inferred && pass_.may_be_over && pass_.now == begun.now;
  pass_ = begun;
  pass_.may_be_over = is_open;
  pass_.number = ++passes_;
  if (begun.how == drive::poll && members_made_ <= made_with_.members_a_poll) sweep();
}

// The driver goes through the members of all groups that were resumed or cancelled, and takes back those that executors
// have. "They therefore start again by deadline and order of arming" (groups.md).
void engine::sweep() {
  for (const timer_id id : live_) {
    timer& t = at(id);
    const group* of = group_of(t);
    if (t.cancelled_by_group) {
      t.to_be_swept = true;
    } else if (of != nullptr && of->scattered && t.now == phase::handed) {
      t.now = phase::waiting;
      t.kept_for_retry = false;
    }
  }
  for (group& each : groups_) each.unswept = each.scattered = false;
}

// "Captures, places and pending() follow as the driver goes through the members: within one drain" (G37)
void engine::has_swept() {
  for (const timer_id id : live_) {
    broke.require(!at(id).to_be_swept || at(id).now == phase::running, "a cancelled member is not taken out",
                  [&] { return described(at(id)); });
  }
}

// "Returns how many callbacks ran inside the call, without those that an executor took to run elsewhere or later"
// (engine::poll). Stale timers that were dropped, and cancelled ones, are not counted either.
std::size_t engine::end_pass(std::optional<std::size_t> returned) {
  offer_again_until(0);
  take_silent_turns_before(nullptr);
  has_swept();
  if (returned) {
    broke.require(*returned == pass_.ran, "poll() returns how many callbacks ran",
                  [&] { return std::to_string(*returned) + ", and it was " + std::to_string(pass_.ran); });
  }
  const bool whole = pass_.turns < pass_.most && !pass_.may_be_over;
  for (const timer_id id : live_) {
    const timer& t = at(id);
    if (!whole || t.order > pass_.drained || !waits_in_pass(t)) continue;
    if (const group* of = group_of(t); of != nullptr && of->unswept) continue;
    broke.require(false, "a due timer is left over", [&] {
      return described(t) + " due at " + std::to_string(due(t)) + ", now " + std::to_string(pass_.now);
    });
  }
  pass_.how = drive::none;
  return pass_.ran;
}

// A timer that an executor has refused is offered again at the beginning of a pass, once.
bool engine::may_have_turn(timer_id id) const {
  const timer& t = at(id);
  if (!t.kept_for_retry) return waits_in_pass(t) && (!is_behind_refused(t) || is_too_stale(t));
  const unsigned offered = pass_.retrying + (pass_.refused_again ? 1 : 0);
  return pass_.turns == 0 && offered <= t.asked.executor;
}

// --- Runs

// "A callback that would start later than this is stale." (timer_options::max_lateness) "It counts from the deadline"
// (overload.md).
bool engine::is_stale(const timer& t) const {
  return !t.periodic() && t.asked.max_lateness != end_of_time && wide{now_} - due_at_start(t) > t.asked.max_lateness;
}

// "A callback never starts before its deadline" (G2), and "the deadline is the requested one, rounded up to the tick".
// "Nothing starts after `stop()`" (G29). "After `cancel_all()` returns no member starts" (groups.md). A periodic timer
// "starts again only after its run has ended" (G5), and "a timer runs at most once in a `poll()`" (G6).
void engine::begin_run(timer_id id, thread_id on, const run_report& seen) {
  const run_report foreseen = begin_run(id, on);
  broke.require(seen == foreseen, "what a run reports",
                [&] { return described(at(id)) + ": " + text_of(seen) + "; it should be " + text_of(foreseen); });
}

run_report engine::begin_run(timer_id id, thread_id on) {
  timer& t = at(id);
  const auto which = [&] { return described(t); };
  broke.require(t.now == phase::waiting || called_ == id, "a callback begins though its timer is not due for it",
                which);
  broke.require(!stopped_, "a callback begins after stop()", which);
  broke.require(!t.cancelled_by_group, "a callback begins after cancel_all()", which);
  broke.require(!is_stopped_by_its_group(t), "a callback begins though its group is paused", which);
  broke.require(now_ >= due_at_start(t), "a callback begins before its deadline", which);
  broke.require(!is_too_stale(t), "a stale callback begins", which);
  if (t.now == phase::waiting) take_turn(t);
  called_ = 0;
  if (pass_.how != drive::none && on == pass_.by) {
    t.turn_in = pass_.number;  // not again in this pass, even if it is re-armed
    ++pass_.ran;
  }
  const run_report foreseen = foresee_run(t);
  t.now = phase::running;
  t.last = t.rearmed = false;
  for (counts* each : counts_of(t)) {
    ++each->fired;
    each->missed += foreseen.missed;
  }
  return foreseen;
}

// "A pause that ends before any turn comes does not call members back: they run where they are." (groups.md) Such a
// member runs for a deadline that has come, although its group has lost some time since the hand-over.
nanoseconds_t engine::due_at_start(const timer& t) const {
  const group* of = group_of(t);
  if (of == nullptr || t.now != phase::handed) return due(t);
  return rounded_up(std::min(of->deadline_of(t.kept, now_), rounded_down(now_, made_with_.tick)), made_with_.tick);
}

// A member's grid is in its group's time: "a fixed-rate timer keeps its grid. Nothing is missed" by a pause
// (groups.md). After a restart, "a periodic timer's grid starts again there" (timer::restart_at).
period_run engine::begin_period(timer& t, nanoseconds_t armed) {
  const group* of = group_of(t);
  if (of != nullptr) t.grid.next = of->deadline_of(t.grid.next, now_);
  if (t.moved) t.grid.next = armed;
  const period_run stands_for = t.grid.begin(armed, now_, made_with_.tick);
  if (of != nullptr) t.grid.next = of->kept(t.grid.next, now_);
  return stands_for;
}

void engine::arm_next_period(timer& t, thread_id on) {
  const group* of = group_of(t);
  t.grid.end(of != nullptr ? of->kept(now_, now_) : now_);
  t.kept = of != nullptr ? t.grid.next : rounded_up(t.grid.next, made_with_.tick);
  arm(t, on);
}

run_report engine::foresee_run(timer& t) {
  const nanoseconds_t armed = due_at_start(t);
  run_report run{.deadline = armed, .tag = t.asked.tag, .stale = is_stale(t)};
  if (t.periodic()) {
    const period_run stands_for = begin_period(t, armed);
    run.deadline = stands_for.deadline;
    run.missed = stands_for.missed;
    // "The timer ends after this many runs." (periodic_options::runs)
    t.used_up = t.runs_left != 0 && --t.runs_left == 0;
  }
  t.moved = false;
  run.lateness = minus(now_, run.deadline);
  return run;
}

// If a cancel has answered `running`, that run is the last "even if the run or its period re-arms the timer"; "a
// one-shot then counts as expired, and a periodic timer as cancelled unless it was the last of its `runs`" (G10).
// Otherwise the timer is armed again if its callback has re-armed it, or if it has another period.
void engine::end_run(timer_id id, thread_id on, bool threw) {
  timer& t = at(id);
  if (threw) {
    for (counts* each : counts_of(t)) ++each->failed;
  }
  if (!t.runs_again()) return end(t, t.periodic() && !t.used_up ? ending::cancelled : ending::expired);
  if (!t.rearmed) return arm_next_period(t, on);
  const group* of = group_of(t);
  t.kept = of != nullptr ? of->kept(t.rearm_at, now_) : rounded_up(t.rearm_at, made_with_.tick);
  t.grid.next = of != nullptr ? t.kept : t.rearm_at;
  arm(t, on);
}

// "A one-shot ends exactly once" (G1): the captures of a timer are destroyed at its end, and at no other time.
void engine::captures_destroyed(timer_id id) {
  timer& t = at(id);
  if (t.now == phase::ended) return;
  if (t.cancelled_by_group && t.now != phase::running) return end(t, ending::cancelled);
  // "How a stale timer is handled: dropped and counted" (timer_options::stale). That happens at its turn, and poll()
  // does not count it.
  if (is_too_stale(t) && (t.now == phase::waiting || called_ == id)) {
    if (t.now == phase::waiting) {
      take_turn(t);
      --pass_.turns;  // neither run nor handed over
    }
    called_ = 0;
    return end(t, ending::dropped);
  }
  broke.require(false, "captures are destroyed though their timer has not ended", [&] { return described(t); });
}

}  // namespace detent::spec
