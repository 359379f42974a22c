// SPDX-License-Identifier: MIT
// The answers to questions about an engine and its timers.
#include "spec/engine.hpp"

#include <algorithm>

namespace detent::spec {

// A timer's deadline on the engine's clock. "time_point::max() while its group is paused" (timer::deadline).
nanoseconds_t engine::due(const timer& t) const {
  const group* of = group_of(t);
  if (of == nullptr) return t.kept;
  return of->paused ? end_of_time : rounded_up(of->deadline_of(t.kept, now_), made_with_.tick);
}

// "Whether the callback will start (again) unless something else is done. A one-shot that re-arms itself is pending
// again when that run has ended." (timer::pending) While a periodic timer runs, its next run is still to come, unless
// it was cancelled or this is the last of its runs.
bool engine::pending(timer_id id) const {
  const timer& t = at(id);
  if (t.cancelled_by_group || t.now == phase::ended) return false;
  return t.now != phase::running || (t.periodic() && !t.last && !t.used_up);
}

// "When it is due, rounded up to the engine's tick; time_point::max() while its group is paused. While a periodic timer
// runs, this is the deadline for which that run was armed. None if pending() is false." (timer::deadline)
std::optional<nanoseconds_t> engine::deadline(timer_id id) const {
  return pending(id) ? std::optional(due(at(id))) : std::nullopt;
}

// "From engine::now() to deadline(). Below zero if the timer is overdue; duration::max() if deadline() is
// time_point::max()." (timer::remaining)
std::optional<nanoseconds_t> engine::remaining(timer_id id) const {
  const std::optional<nanoseconds_t> when = deadline(id);
  if (!when) return std::nullopt;
  return *when == end_of_time ? end_of_time : minus(*when, now_);
}

// "A timer's place is free before `cancel()` returns, and that of a one-shot before its callback starts" (G25). "Until
// the driver has reached it, a cancelled member still counts in the group's `pending()` and keeps its place."
// (groups.md)
std::size_t engine::places_taken() const {
  std::size_t count = 0;
  for (const timer_id id : live_) count += at(id).counts_as_pending() ? 1U : 0U;
  return count;
}

std::size_t engine::pending() const { return places_taken(); }

std::size_t engine::pending_in(group_id id) const {
  std::size_t count = 0;
  for (const timer_id each : live_) count += at(each).asked.group == id && at(each).counts_as_pending() ? 1U : 0U;
  return count;
}

// "Returns every pending timer" (engine::list_pending), with the words of pending_timer::state. A timer that the driver
// has not drained yet is "queued"; here it is "armed" as well.
std::map<timer_id, listed_timer> engine::list_pending() const {
  std::map<timer_id, listed_timer> found;
  for (const timer_id id : live_) {
    const timer& t = at(id);
    if (!pending(id)) continue;
    const group* of = group_of(t);
    const char* state = t.now == phase::running       ? "running"
                        : of != nullptr && of->paused ? "paused"
                        : t.now == phase::handed      ? "dispatched"
                                                      : "armed";
    found[id] = {due(t), t.asked.tag, t.asked.label, state};
  }
  return found;
}

// "The code is `errc::stopped` if the engine ended. It is `errc::dropped` if the executor dropped the run, or refused
// it under `refusal_policy::drop`; if the run was too late for its `max_lateness`; or if the timer was cancelled by the
// handle that `list_pending()` shows." "If the group is cancelled, they throw `errc::dropped`, or `errc::stopped` if
// the engine ends before it has gone through the members." (coroutines.md)
std::set<errc> engine::reasons_to_wake(timer_id id) const {
  const timer& t = at(id);
  if (t.how == ending::returned) return {errc::stopped};
  if (t.cancelled_by_group && stopped_) return {errc::dropped, errc::stopped};
  return {errc::dropped};
}

counts engine::metrics() const {
  counts found = all_;
  found.pending = places_taken();
  return found;
}

// "The metrics of the timers with that label, as far as they are counted for one: scheduled, ended, pending, fired,
// missed, restarted, failed" (engine::metrics)
counts engine::metrics(std::uint32_t label) const {
  const auto known = of_label_.find(label);
  counts found = known == of_label_.end() ? counts{} : known->second;
  for (const timer_id id : live_) found.pending += at(id).asked.label == label && at(id).counts_as_pending() ? 1U : 0U;
  return found;
}

// With slack, "`next_deadline()` says when the engine must be polled" (overload.md). "Timers that an executor has taken
// do not count." (engine::next_deadline)
std::optional<nanoseconds_t> engine::next_deadline() const {
  std::optional<nanoseconds_t> earliest;
  for (const timer_id id : live_) {
    const timer& t = at(id);
    if (t.now != phase::waiting || t.cancelled_by_group) continue;
    if (!earliest || ready_at(t) < *earliest) earliest = ready_at(t);
  }
  return earliest;
}

bool engine::has_due_by(nanoseconds_t end) const {
  return std::any_of(live_.begin(), live_.end(), [&](timer_id id) {
    const timer& t = at(id);
    return t.now == phase::waiting && !is_stopped_by_its_group(t) && ready_at(t) <= end;
  });
}

// "The next deadline or an earlier time, never a later one. None when nothing is pending." (engine::next_deadline)
void engine::answered_next_deadline(std::optional<nanoseconds_t> answer) {
  look_at_refused();
  sweep();
  has_swept();
  look_at_refused();
  const std::optional<nanoseconds_t> earliest = next_deadline();
  // "The callback waits in the engine and is offered again in order, within a millisecond." (faq.md)
  bool offers_again = false;
  for (unsigned executor = 0; executor < made_with_.executors.size(); ++executor) {
    if (first_for_retry(executor) == nullptr) continue;
    offers_again = true;
    broke.require(answer && *answer <= plus(now_, 1'000'000), "next_deadline() forgets a refused timer");
  }
  if (earliest) {
    broke.require(answer.has_value(), "next_deadline() is none, though something is pending");
    if (answer) {
      broke.require(*answer <= *earliest, "next_deadline() is later than the true one",
                    [&] { return std::to_string(*answer) + ", and the true one is " + std::to_string(*earliest); });
    }
  } else if (!offers_again) {
    broke.require(!answer, "next_deadline() is something, though no timer waits in the engine");
  }
}

}  // namespace detent::spec
