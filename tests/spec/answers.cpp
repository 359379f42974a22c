// SPDX-License-Identifier: MIT
// The answers of an engine when it is asked.
#include "spec/engine.hpp"

#include <algorithm>

namespace detent::spec {

// A timer's deadline on the engine's clock. "time_point::max() while its group is paused" (timer::deadline).
nanoseconds_t engine::due(const timer& t) const {
  const group* of = group_of(t);
  if (of == nullptr) return t.kept;
  return of->paused ? end_of_time : rounded_up(of->deadline_of(t.kept, now_), made_with_.tick);
}

// "Its callback will start (again) unless something is done." (timer::pending) A one-shot that runs has started; of a
// periodic timer the next run is to come, unless it was cancelled or has had all its runs.
bool engine::pending(timer_id id) const {
  const timer& t = at(id);
  if (t.cancelled_by_group || t.now == phase::ended) return false;
  return t.now != phase::running || (t.periodic() && !t.last && !t.used_up);
}

// "When it is due, rounded up to the engine's tick; time_point::max() while its group is paused. While a periodic timer
// runs, the earliest deadline that it had not met. None where pending() is false." (timer::deadline)
std::optional<nanoseconds_t> engine::deadline(timer_id id) const {
  return pending(id) ? std::optional(due(at(id))) : std::nullopt;
}

// "From engine::now() to deadline(): below zero where it is overdue, duration::max() while its group is paused."
std::optional<nanoseconds_t> engine::remaining(timer_id id) const {
  const std::optional<nanoseconds_t> when = deadline(id);
  if (!when) return std::nullopt;
  return *when == end_of_time ? end_of_time : minus(*when, now_);
}

// "A timer's place is free before its callback starts and before cancel() returns" (G25). "Until the driver has come
// by, a cancelled member counts in pending() and takes its place" (groups.md).
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

// "Every pending timer" (engine::list_pending), by the words of pending_timer::state. "queued" and "armed" are the
// same here: they say how far the driver has come.
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

// "errc::stopped if the engine ended. errc::dropped if the executor dropped the run, or refused it under
// refusal_policy::drop; if the run was too late for its max_lateness; or if the timer was cancelled by the handle that
// list_pending() shows." "If the group is cancelled, they throw errc::dropped." (coroutines.md) A member that its group
// has cancelled may find its engine's end first.
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

// "Of the timers with that label, as far as it is counted for one: scheduled, ended, pending, fired, missed, restarted,
// failed" (engine::metrics)
counts engine::metrics(std::uint32_t label) const {
  const auto known = of_label_.find(label);
  counts found = known == of_label_.end() ? counts{} : known->second;
  for (const timer_id id : live_) found.pending += at(id).asked.label == label && at(id).counts_as_pending() ? 1U : 0U;
  return found;
}

// With slack, this is when "the engine has to be polled" (overload.md). It does not wait for callbacks that executors
// have.
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

// "Never later than the true one; none when nothing is pending." (engine::next_deadline) For an overdue timer, the
// answer may be now.
void engine::answered_next_deadline(std::optional<nanoseconds_t> answer) {
  look_at_refused();
  sweep();
  has_swept();
  look_at_refused();
  const std::optional<nanoseconds_t> earliest = next_deadline();
  // "What the pool refuses ... is offered again in order, within a millisecond" (faq.md)
  for (unsigned executor = 0; executor < made_with_.executors.size(); ++executor) {
    if (first_for_retry(executor) == nullptr) continue;
    broke.require(answer && *answer <= plus(now_, 1'000'000), "next_deadline() forgets what was refused");
  }
  if (earliest) {
    broke.require(answer.has_value(), "next_deadline() is none, though something is pending");
    if (answer) {
      broke.require(*answer <= std::max(*earliest, now_), "next_deadline() is later than the true one",
                    [&] { return std::to_string(*answer) + ", and the true one is " + std::to_string(*earliest); });
    }
  } else if (places_taken() == 0) {
    broke.require(!answer, "next_deadline() is something, though nothing is pending");
  }
}

}  // namespace detent::spec
