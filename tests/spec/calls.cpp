// SPDX-License-Identifier: MIT
// The calls of a program: scheduling, cancelling, restarting, groups, the end.
#include "spec/engine.hpp"

#include <algorithm>

namespace detent::spec {

engine::engine(const settings& made_with) : made_with_(made_with), now_(made_with.start) {}

// --- Scheduling

// "A refused timer, also one refused by `close()`, is in no count of timers, label, group, capacity or recording"
// (G28).
scheduled engine::schedule(const plan& asked, thread_id by) {
  scheduled came{.refusals = reasons_against(asked)};
  timer& t = make(asked);
  came.id = t.id;
  if (came.refused()) {
    end(t, ending::refused);
    return came;
  }
  // "Deadlines are rounded up to a multiple of the tick" (engine_options::tick). A group has a time of its own, "and
  // its members' deadlines are in that time" (groups.md); they are rounded when they are converted to the engine's.
  const group* of = group_of(t);
  t.kept = of != nullptr ? of->kept(asked.when, now_) : rounded_up(asked.when, made_with_.tick);
  t.grid = {asked.repeats, asked.period, asked.missed, of != nullptr ? t.kept : asked.when};
  t.runs_left = asked.runs;
  arm(t, by);
  for (counts* each : counts_of(t)) ++each->scheduled;
  if (of != nullptr) ++members_made_;
  return came;
}

// "Throw capacity_exceeded, stopped, invalid_option (lane, slack, a label or an executor of another engine),
// invalid_period" (engine::schedule_at)
std::set<errc> engine::reasons_against(const plan& asked) const {
  std::set<errc> reasons;
  // "From now on the engine takes no timers: schedule calls are refused with errc::stopped, as after stop()."
  // (engine::close)
  if (closed_ || stopped_) reasons.insert(errc::stopped);
  // "The destructor ... begin by ending the group. From then on every schedule call on it is refused with
  // `errc::stopped`" (groups.md).
  if (asked.group != no_group && groups_[asked.group - 1].ended) reasons.insert(errc::stopped);
  if (asked.lane >= lane_count || asked.slack < 0) reasons.insert(errc::invalid_option);
  if (asked.repeats != repetition::once && asked.period <= 0) reasons.insert(errc::invalid_period);
  // "Most timers pending at once, exact; a schedule call beyond it is refused." (engine_options::max_pending)
  if (made_with_.max_pending != 0 && places_taken() >= made_with_.max_pending) reasons.insert(errc::capacity_exceeded);
  return reasons;
}

// "Returns how many timers were scheduled, from the first on: fewer if max_pending or memory ran out."
// (engine::schedule_at_bulk) "Bulk: like as many single calls" (G35).
std::pair<timer_id, std::size_t> engine::schedule_bulk(std::span<const nanoseconds_t> deadlines, const plan& asked,
                                                       thread_id by) {
  const auto first = static_cast<timer_id>(timers_.size() + 1);
  std::size_t done = 0;
  for (const nanoseconds_t when : deadlines) {
    plan each = asked;
    each.when = when;
    if (schedule(each, by).refused()) break;
    ++done;
  }
  // The timers that are left out get numbers as well, so that each deadline has one.
  while (timers_.size() + 1 < first + deadlines.size()) end(make(asked), ending::refused);
  return {first, done};
}

timer& engine::make(const plan& asked) {
  timer& made = timers_.emplace_back();
  made.id = static_cast<timer_id>(timers_.size());
  made.asked = asked;
  live_.insert(made.id);
  return made;
}

// "Equal ones of one thread fire in the order in which that thread last armed them" (engine), and "restarts and re-arms
// count as armings" (G15).
void engine::arm(timer& t, thread_id by) {
  t.now = phase::waiting;
  t.order = ++armings_;
  t.armer = by;
  t.kept_for_retry = false;
}

void engine::end(timer& t, ending how) {
  t.now = phase::ended;
  t.how = how;
  live_.erase(t.id);
  for (counts* each : counts_of(t)) each->ended(how);
}

// Returns the counts of the engine and, if the timer has one, of its label.
std::vector<counts*> engine::counts_of(const timer& t) {
  std::vector<counts*> found{&all_};
  if (t.asked.label != 0) found.push_back(&of_label_[t.asked.label]);
  return found;
}

// --- Cancelling and restarting

// The words of cancel_result: `cancelled` means that "the callback will never start (again), and its captures are
// already destroyed"; `running`, that "it is executing now, and this is its last run, even if it re-arms"; `gone`, that
// "it has fired, was cancelled, dropped or returned, or never existed". If its group has cancelled the timer and the
// driver has not reached it yet, "`cancel()` on it may still be the call that destroys its captures" (groups.md).
cancel_result engine::cancel(timer_id id) {
  timer& t = at(id);
  if (t.now == phase::ended) return cancel_result::gone;
  if (t.now == phase::running) {
    t.last = true;
    return cancel_result::running;
  }
  end(t, ending::cancelled);
  return cancel_result::cancelled;
}

// "Returns how many timers this call cancelled." (engine::cancel_bulk) A timer that is given twice counts once.
std::size_t engine::cancel_bulk(std::span<const timer_id> ids) {
  return static_cast<std::size_t>(
      std::count_if(ids.begin(), ids.end(), [this](timer_id id) { return cancel(id) == cancel_result::cancelled; }));
}

// "True: the timer fires at the new deadline and not at the old one. A periodic timer's grid starts again there.
// False: it is running or has ended, and nothing has changed." (timer::restart_at) The same holds for a member that its
// group has cancelled: "Its handle answers false to `pending()` and `restart_*`" (groups.md). A timer that waits in an
// executor's queue is still restarted, which "leaves a ticket that does nothing" (concepts.md). The new deadline of a
// member is rounded before it is converted to the group's time.
bool engine::restart(timer_id id, nanoseconds_t deadline, thread_id by) {
  timer& t = at(id);
  if ((t.now != phase::waiting && t.now != phase::handed) || t.cancelled_by_group) return false;
  const nanoseconds_t rounded = rounded_up(deadline, made_with_.tick);
  const group* of = group_of(t);
  t.kept = of != nullptr ? of->kept(rounded, now_) : rounded;
  t.moved = true;
  arm(t, by);
  for (counts* each : counts_of(t)) ++each->restarted;
  return true;
}

// "The timer is armed when this run has ended. A later call replaces an earlier one. In a periodic timer it re-anchors
// the grid. Has no effect if the timer is cancelled during the run, or if this is the last of its `runs`."
// (firing::rearm_at)
void engine::rearm(timer_id id, nanoseconds_t deadline) {
  timer& t = at(id);
  t.rearmed = true;
  t.rearm_at = deadline;
}

// --- Groups

group_id engine::make_group() {
  groups_.emplace_back();
  return static_cast<group_id>(groups_.size());
}

// The table of a group's operations in GUARANTEES.md says that pause() and resume() have "no effect after" stop().
// "Neither a pause nor a resumption has an effect once the engine has begun to stop." (groups.md)
void engine::pause(group_id id) {
  if (!stopped_) groups_[id - 1].pause(now_);
}

void engine::resume(group_id id) {
  if (!stopped_) groups_[id - 1].resume(now_);
}

// "After it returns, no callback that was scheduled before starts; those that are running may finish. Captures,
// pending() and places follow as the engine goes through the members." (timer_group::cancel_all) The driver destroys
// the captures then: captures_destroyed().
void engine::cancel_all(group_id id) {
  for (const timer_id each : live_) {
    if (at(each).asked.group == id) at(each).cancelled_by_group = true;
  }
}

// "Cancels all its timers and waits for those that are running, except for the caller's own. As soon as it begins, the
// group takes no timers" (~timer_group).
void engine::end_group(group_id id) {
  cancel_all(id);
  groups_[id - 1].ended = true;
}

// --- The end

// "Returns every timer that had not ended, once each." (engine::stop) It returns each "with its deadline and its
// callable" (G28). "`stop()` returns members that were not cancelled. Members of a paused group have the deadline that
// a resumption at that moment would give them." (groups.md)
std::map<timer_id, returned_timer> engine::stop() {
  std::map<timer_id, returned_timer> left;
  const std::set<timer_id> all = live_;
  for (const timer_id id : all) {
    timer& t = at(id);
    if (t.now == phase::running) continue;
    const group* of = group_of(t);
    const nanoseconds_t deadline = of == nullptr ? t.kept : rounded_up(of->deadline_of(t.kept, now_), made_with_.tick);
    if (!t.cancelled_by_group) left[id] = {deadline, t.asked.tag};
    end(t, t.cancelled_by_group ? ending::cancelled : ending::returned);
  }
  stopped_ = true;
  return left;
}

}  // namespace detent::spec
