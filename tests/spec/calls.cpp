// SPDX-License-Identifier: MIT
// The calls of a program: scheduling, cancelling, restarting, groups, the end.
#include "spec/engine.hpp"

#include <algorithm>

namespace detent::spec {

engine::engine(const settings& made_with) : made_with_(made_with), now_(made_with.start) {}

// --- Scheduling

// "What was refused is in no figure": a refused timer was never there.
scheduled engine::schedule(const plan& asked, thread_id by) {
  scheduled came{.refusals = reasons_against(asked)};
  timer& t = make(asked);
  came.id = t.id;
  if (came.refused()) {
    end(t, ending::refused);
    return came;
  }
  // "Deadlines are rounded up to a multiple of [the tick]" (engine_options); "deadlines of members are kept in that
  // time" of the group, and rounded when they are the engine's again (groups.md).
  const group* of = group_of(t);
  t.kept = of != nullptr ? of->kept(asked.when, now_) : rounded_up(asked.when, made_with_.tick);
  t.grid = {asked.repeats, asked.period, asked.missed, of != nullptr ? t.kept : asked.when};
  t.runs_left = asked.runs;
  arm(t, by);
  for (counts* each : counts_of(t)) ++each->scheduled;
  if (of != nullptr) ++members_made_;
  return came;
}

// engine::schedule_at: "Throw capacity_exceeded, stopped, invalid_option (lane, slack, another engine's label),
// invalid_period"
std::set<errc> engine::reasons_against(const plan& asked) const {
  std::set<errc> reasons;
  // "From now on no timer is taken: schedule calls are refused by errc::stopped, as after stop()." (engine::close)
  if (closed_ || stopped_) reasons.insert(errc::stopped);
  // "Its end is a state ...: from then on every schedule call on it is refused." (groups.md)
  if (asked.group != no_group && groups_[asked.group - 1].ended) reasons.insert(errc::stopped);
  if (asked.lane >= lane_count || asked.slack < 0) reasons.insert(errc::invalid_option);
  if (asked.repeats != repetition::once && asked.period <= 0) reasons.insert(errc::invalid_period);
  // "Most timers pending at once, exact; a schedule call beyond is refused." (engine_options::max_pending)
  if (made_with_.max_pending != 0 && places_taken() >= made_with_.max_pending) reasons.insert(errc::capacity_exceeded);
  return reasons;
}

// "Returns how many were scheduled, from the first on: fewer where max_pending or memory ran out." (schedule_at_bulk).
// As many single calls (G35).
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
  // The other timers get accounts as well, so that each of the caller's handles has one.
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

// "Equal ones of one thread [fire] in the order in which that thread last armed them." (engine.hpp)
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

// cancel_result: "cancelled: the callback will never start (again), and its captures are already destroyed; running: it
// is executing now, and this is its last run, whatever it re-arms; gone: it has fired, was cancelled, dropped or
// returned, or never was". Of a member that its group has cancelled, and that the driver has not come by yet, "cancel()
// may still be the one that destroys it" (groups.md).
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

// "Returns how many this call cancelled." (engine::cancel_bulk) Each once, whatever it is given (G35).
std::size_t engine::cancel_bulk(std::span<const timer_id> ids) {
  return static_cast<std::size_t>(
      std::count_if(ids.begin(), ids.end(), [this](timer_id id) { return cancel(id) == cancel_result::cancelled; }));
}

// "True: it fires at the new deadline and not at the old one. False: no effect whatever." (timer::restart_at)
// "`restart` false: it had started, ended or was never there" (G12); a member that its group has cancelled is as good
// as ended: "its handle answers false to pending() and restart" (groups.md). What an executor has is taken away from
// it: its ticket does nothing (concepts.md).
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

// "Runs the same node and callable again; a later call replaces an earlier one; in a periodic timer it re-anchors the
// grid. Void if the timer was cancelled meanwhile." (firing::rearm_at)
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

// "No effect after [stop()]" (GUARANTEES, operations on a group)
void engine::pause(group_id id) {
  if (!stopped_) groups_[id - 1].pause(now_);
}

void engine::resume(group_id id) {
  if (!stopped_) groups_[id - 1].resume(now_);
}

// "After it returns no callback of those scheduled so far starts; those already running may finish." (cancel_all) The
// driver takes them out later, and destroys their captures then: captures_destroyed().
void engine::cancel_all(group_id id) {
  for (const timer_id each : live_) {
    if (at(each).asked.group == id) at(each).cancelled_by_group = true;
  }
}

// "~timer_group: cancel_all_and_wait()"
void engine::end_group(group_id id) {
  cancel_all(id);
  groups_[id - 1].ended = true;
}

// --- The end

// "Every timer that had not ended, once each" (engine::stop), "with its deadline and its callable" (G28). "stop()
// returns members that were not cancelled, those of a paused group with the deadline that a resumption at that moment
// would give them." (groups.md)
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
