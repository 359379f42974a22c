// SPDX-License-Identifier: MIT
// The calls of a walk, and its runs.
#include "search/worker_walks/walk.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

namespace detent::worker_walks {
namespace {

// A periodic timer ends after one of its first runs.
constexpr std::uint32_t most_periods = 4;

// The call of a timer that has re-armed itself: nothing happens in its next run.
const call no_more;

timer_options options_of(const call& what, label counted) {
  timer_options made{.label = counted,
                     .tag = what.tagged ? judge::tag_of(what.timer) : 0,
                     .lane = static_cast<std::uint8_t>(what.lane),
                     .slack = duration(what.slack)};
  if (what.late) made.max_lateness = duration(*what.late);
  if (what.runs_stale) made.stale = stale_policy::run;
  return made;
}

bool has_options(const call& what) {
  return what.tagged || what.label != 0 || what.lane != 0 || what.slack != 0 || what.late;
}

}  // namespace

// A callable that informs the judge when it is destroyed.
class owner {
 public:
  owner(walk& of, std::uint32_t timer) : of_(&of), timer_(timer) {}
  owner(owner&& other) noexcept : of_(std::exchange(other.of_, nullptr)), timer_(other.timer_) {}
  owner& operator=(owner&&) = delete;
  ~owner() {
    if (of_ != nullptr) of_->judge_.captures_destroyed(timer_);
  }
  void operator()(firing& now) { of_->run(timer_, now); }

 private:
  walk* of_;
  std::uint32_t timer_;
};

void walk::perform(const call& what, unsigned thread, bool at_once) {
  if (what.what == verb::end_group) return end_group(what.group, thread, at_once);
  if (what.group != 0 && group_for(what, thread) == nullptr) return;
  switch (what.what) {
    case verb::arm: return arm(what, thread);
    case verb::cancel: return cancel(what);
    case verb::restart: return restart(what, thread);
    case verb::ask: return ask(what.timer);
    case verb::list: return list();
    case verb::metrics: return ask_for_metrics();
    case verb::close: return close();
    case verb::hand_back: return hand_back(true);
    case verb::let_go: return hand_back(false);
    case verb::pause: group_for(what, thread)->pause(); return judge_.pause(what.group);
    case verb::resume: group_for(what, thread)->resume(); return judge_.resume(what.group);
    case verb::cancel_group: group_for(what, thread)->cancel_all(); return judge_.cancel(what.group);
    default: return;
  }
}

// While a group is being destroyed, only a run of one of its timers may call it: "a member that still runs and
// schedules here is refused" (~timer_group).
timer_group* walk::group_for(const call& what, unsigned thread) {
  if (groups_[what.group] != nullptr) return groups_[what.group].get();
  const bool in_member = running_[thread] && judge_.group_of(*running_[thread]) == what.group;
  return what.what == verb::arm && in_member ? ending_[what.group] : nullptr;
}

void walk::end_group(unsigned group, unsigned thread, bool at_once) {
  if (groups_[group] == nullptr) return;
  judge_.begin_end_of(group, at_once);
  ending_[group] = groups_[group].get();
  delete groups_[group].release();
  ending_[group] = nullptr;
  judge_.end_end_of(group, running_[thread]);
}

void walk::ask(std::uint32_t timer) {
  if (!judge_.has_handle(timer)) return;
  const judge::before asked = judge_.begin_question();
  const bool pending = judge_.handle(timer).pending();
  judge_.answer(asked, timer, pending, judge_.handle(timer).deadline());
}

void walk::list() {
  const judge::before asked = judge_.begin_question();
  judge_.answer(asked, engine_->list_pending());
}

void walk::ask_for_metrics() {
  const spec::counts asked = judge_.counted(0);
  judge_.answer(asked, engine_->metrics());
}

void walk::close() {
  judge_.begin_close();
  engine_->close();
  judge_.end_close();
}

void walk::arm(const call& what, unsigned thread) {
  if (!judge_.is_new(what.timer)) return;  // an earlier run of the same timer has made this call
  std::vector<time_point> deadlines;
  std::vector<timer> handles(what.count);
  if (arms_.size() < what.timer + what.count) arms_.resize(what.timer + what.count);
  for (std::uint32_t i = 0; i != what.count; ++i) {
    ns at = plays_.begin + what.at + what.step * i;
    if (what.period != 0) at = std::max(at, stage_.now());  // periodic timers are scheduled by a delay
    deadlines.emplace_back(duration(at));
    judge_.begin_arm(what, what.timer + i, at, thread);
    arms_[what.timer + i] = &what;
  }
  const std::uint64_t since = judge_.events();
  errc problem{};
  try {
    arm(what, thread, deadlines, handles);
  } catch (const error& refused) {
    problem = static_cast<errc>(refused.code().value());
  }
  judge_.check_places(
      since, what.count,
      static_cast<std::size_t>(std::count_if(handles.begin(), handles.end(), [](timer each) { return bool(each); })));
  for (std::uint32_t i = 0; i != what.count; ++i) {
    if (handles[i]) {
      judge_.end_arm(what.timer + i, handles[i]);
    } else {
      judge_.refuse(what.timer + i, problem);
    }
  }
}

void walk::arm(const call& what, unsigned thread, const std::vector<time_point>& deadlines,
               std::vector<timer>& handles) {
  if (what.count != 1) {
    const auto each = [this, first = what.timer](firing& now, std::size_t i) {
      run(first + static_cast<std::uint32_t>(i), now);
    };
    engine_->schedule_at_bulk(deadlines, each, handles, options_of(what, labels_[what.label]));
  } else if (what.owns || what.late) {
    handles[0] = arm_one(what, thread, deadlines[0], owner(*this, what.timer));
  } else {
    handles[0] = arm_one(what, thread, deadlines[0], [this, timer = what.timer](firing& now) { run(timer, now); });
  }
}

template <class Callback>
timer walk::arm_one(const call& what, unsigned thread, time_point at, Callback&& callback) {
  const timer_options options = options_of(what, labels_[what.label]);
  if (what.group != 0) return group_for(what, thread)->schedule_at(at, std::forward<Callback>(callback), options);
  if (what.period == 0 && !has_options(what)) return engine_->schedule_at(at, std::forward<Callback>(callback));
  if (what.period == 0) return engine_->schedule_at(at, std::forward<Callback>(callback), options);
  const periodic_options periodic{.runs = what.runs,
                                  .missed_policy = static_cast<missed_ticks>(what.missed),
                                  .label = options.label,
                                  .tag = options.tag,
                                  .lane = options.lane,
                                  .slack = options.slack};
  const duration delay = at - time_point(duration(stage_.now())), period(what.period);
  if (what.fixed_delay)
    return engine_->schedule_with_fixed_delay(delay, period, std::forward<Callback>(callback), periodic);
  return engine_->schedule_at_fixed_rate(delay, period, std::forward<Callback>(callback), periodic);
}

void walk::cancel(const call& what) {
  if (what.count == 1) {
    if (!judge_.has_handle(what.timer)) return;
    judge_.begin_cancel(what.timer);
    return judge_.end_cancel(what.timer, judge_.handle(what.timer).cancel());
  }
  // The call is about the timers that exist now, and not about those that are armed before it ends.
  std::vector<std::uint32_t> asked;
  std::vector<timer> handles;
  for (std::uint32_t each = what.timer; each != what.timer + what.count; ++each) {
    if (!judge_.has_handle(each)) continue;
    judge_.begin_cancel(each);
    asked.push_back(each);
    handles.push_back(judge_.handle(each));
  }
  judge_.end_cancel_many(asked, engine_->cancel_bulk(handles));
}

void walk::restart(const call& what, unsigned thread) {
  if (!judge_.has_handle(what.timer)) return;
  const ns at = plays_.begin + what.at;
  judge_.begin_restart(what.timer, at);
  judge_.end_restart(what.timer, at, thread, judge_.handle(what.timer).restart_at(time_point(duration(at))));
}

void walk::run(std::uint32_t timer, firing& now) {
  undisturbed([&] { judge_.begin_run(me, timer, now); });  // the judge may ask the engine
  running_[me] = timer;
  std::optional<ns> again;
  const call& armed_by = *arms_[timer];
  if (&armed_by != &no_more && armed_by.timer == timer) {
    for (const call& each : armed_by.inside) {
      if (each.what == verb::rearm && !again) {
        again = plays_.begin + each.at;
        now.rearm_at(time_point(duration(*again)));
      } else if (each.what == verb::end_group && judge_.others_call(me)) {  // each might wait for the other
      } else if (judge_.is_at_one_moment(each) || each.what == verb::end_group) {
        undisturbed([&] { perform(each, me, true); });
      } else {
        perform(each, me, false);
      }
    }
  }
  if (judge_.runs_of(timer) > timer % most_periods && judge_.is_periodic(timer))
    cancel({.what = verb::cancel, .timer = timer});
  const bool throws = armed_by.throws;
  // A timer re-arms itself once only, because for the same time it would do so without end.
  if (again) arms_[timer] = &no_more;
  judge_.end_run(me, timer, again);
  running_[me].reset();
  if (!throws) return;
  judge_.throws(me, timer);
  throw std::runtime_error("as the program says");
}

}  // namespace detent::worker_walks
