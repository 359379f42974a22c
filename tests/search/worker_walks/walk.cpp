// SPDX-License-Identifier: MIT
#include "search/worker_walks/walk.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

namespace detent::worker_walks {
namespace {

// More than the worker takes from anywhere to its sleep, or to a spin.
constexpr unsigned most_turns = 10'000;
constexpr std::uint64_t steps_a_turn = 500;
// How time goes on while it spins: in leaps that become longer.
constexpr ns first_leap = 16;
// Later deadlines never come: members of paused groups are kept there, at the last ticks of all.
constexpr ns end_of_time = INT64_MAX - 1'000'000;
// A call that waits for others has those go on by so many steps at a time.
constexpr std::uint64_t steps_for_a_waiter = 50;
// A wait reads the clock and the bell, and nothing else, so often.
constexpr unsigned steps_of_a_wait = 16;

// A periodic timer ends after one of its first runs.
constexpr std::uint32_t most_periods = 4;

// For a timer that has been armed again, in whose run nothing happens.
const call no_more;

engine_options options_of(const program& plays) {
  engine_options made;
  made.clock = clock_kind::steady;
  made.tick = duration(plays.tick);
  made.wheel = plays.hashed ? wheel_kind::hashed : wheel_kind::hierarchical;
  made.hashed_slots = 16;
  made.wait = plays.wait == 0 ? wait_options::busy() : plays.wait == 1 ? wait_options::hybrid() : wait_options::sleep();
  made.reserve = 64;
  if (plays.wake_budget != 0) made.wake_budget = duration(plays.wake_budget);
  return made;
}

}  // namespace

walk::walk(const program& plays)
    : plays_(plays),
      stage_(producers, plays.begin, plays.reading_takes,
             {.on_step = [this](const hooks::site* where) { step(where); },
              .on_sleep = [this](ns until) { judge_.fall_asleep(until); }}),
      judge_(plays) {}

void walk::play() {
  begin();
  for (const move& each : plays_.moves) {
    if (each.does.what == verb::stop) return stop();
    play(each);
  }
  settle();
  end();
}

void walk::begin() {
  engine_.emplace(options_of(plays_));
  for (unsigned i = 1; i <= groups; ++i) groups_[i].emplace(*engine_);
  // Overdue with any tick, as time does not go on by itself.
  engine_->schedule_at(time_point(duration(plays_.begin / 2)), [this] { stage_.admit_worker(); });
  stage_.wait_for_worker();
  // A thread's first call makes its record.
  const std::function<void()> first = [this] { engine_->schedule_after(std::chrono::hours(1), [] {}).cancel(); };
  for (unsigned i = 0; i != producers; ++i) stage_.begin(i, first, to_the_end);
}

void walk::play(const move& each) {
  switch (each.does.what) {
    case verb::work: return stage_.move_worker(each.steps, each.of_the_bell);
    case verb::time: return stage_.set_time(std::max(stage_.now(), plays_.begin + each.does.at));
    case verb::disturb: return stage_.disturb_worker();
    default: return call_by(each);
  }
}

void walk::call_by(const move& each) {
  const unsigned producer = each.producer - 1;
  finish(producer);
  calls_[producer] = [this, &each] { perform(each.does, each.producer); };
  const bool whole = judge_.is_at_one_moment(each.does);
  stage_.begin(producer, calls_[producer], each.steps == 0 || whole ? to_the_end : each.steps);
  if (each.steps == 0 || whole) finish(producer);
}

// The call that the producer is in comes to its end.
void walk::finish(unsigned producer) {
  for (unsigned turns = 0; stage_.state_of(producer) != actor::state::idle; ++turns) {
    if (turns == most_turns) fault("a call does not return");
    stage_.go_on(producer, to_the_end);
    if (stage_.state_of(producer) == actor::state::waits) stage_.move_worker(steps_for_a_waiter);
  }
  waiting_steps_ = 0;  // what the worker has seen so far was before the call
  looked_at_ = last_looked_at_ = INT64_MIN;
  bool all_idle = true;
  for (unsigned i = 0; i != producers; ++i) all_idle &= stage_.state_of(i) == actor::state::idle;
  if (const auto until = stage_.worker_sleeps_until(); until && all_idle && !stage_.is_woken()) judge_.sleep_on(*until);
}

// All calls are over: what is pending comes in its time, and the worker sleeps, or spins without an end.
void walk::settle() {
  for (unsigned i = 0; i != producers; ++i) finish(i);
  ns leap = first_leap;
  std::uint64_t runs = 0;
  for (unsigned turns = 0; turns != most_turns; ++turns) {
    if (std::exchange(runs, judge_.runs()) != judge_.runs()) turns = 0;
    stage_.move_worker(steps_a_turn);
    const auto until = stage_.worker_sleeps_until();
    if (until && !stage_.is_woken()) {
      if (*until > end_of_time) return;
      stage_.set_time(std::max(stage_.now(), *until));
      leap = first_leap;
    } else if (waiting_steps_ > 3 * steps_of_a_wait) {
      const ns next = judge_.next();
      if (next == INT64_MAX && plays_.wait == 0) return;
      stage_.set_time(std::min(detail::add_saturated(stage_.now(), leap), std::max(next, stage_.now())));
      leap = leap < INT64_MAX / 64 ? 64 * leap : leap;
    }
  }
  fault("the worker comes to no rest");
}

// The worker moves by itself to the end.
void walk::stop() {
  for (unsigned i = 0; i != producers; ++i) finish(i);
  is_stopping_ = true;
  stage_.release_worker();
  judge_.end_by_stop(engine_->stop());
  for (auto& each : groups_) each.reset();
  engine_.reset();
}

void walk::end() {
  judge_.end();
  stage_.release_worker();
  for (auto& each : groups_) each.reset();
  engine_.reset();
}

// --- Calls

void walk::perform(const call& what, unsigned thread) {
  switch (what.what) {
    case verb::arm: return arm(what, thread);
    case verb::cancel: return cancel(what);
    case verb::restart: return restart(what, thread);
    case verb::pause: groups_[what.group]->pause(); return judge_.pause(what.group);
    case verb::resume: groups_[what.group]->resume(); return judge_.resume(what.group);
    case verb::cancel_group: groups_[what.group]->cancel_all(); return judge_.cancel(what.group);
    default: return;
  }
}

void walk::arm(const call& what, unsigned thread) {
  if (!judge_.is_new(what.timer)) return;  // of a run that comes again
  std::vector<time_point> deadlines;
  std::vector<timer> handles(what.count);
  if (arms_.size() < what.timer + what.count) arms_.resize(what.timer + what.count);
  for (std::uint32_t i = 0; i != what.count; ++i) {
    ns at = plays_.begin + what.at + what.step * i;
    if (what.period != 0) at = std::max(at, stage_.now());  // it is asked for by a delay
    deadlines.emplace_back(duration(at));
    judge_.begin_arm(what, what.timer + i, at, thread);
    arms_[what.timer + i] = &what;
  }
  try {
    arm(what, deadlines, handles);
  } catch (const error& refused) {
    if (!is_stopping_ || refused.code() != errc::stopped) throw;
  }
  for (std::uint32_t i = 0; i != what.count; ++i) judge_.end_arm(what.timer + i, handles[i]);
}

void walk::arm(const call& what, const std::vector<time_point>& deadlines, std::vector<timer>& handles) {
  timer_options options;
  options.lane = static_cast<std::uint8_t>(what.lane);
  options.slack = duration(what.slack);
  options.tag = judge::tag_of(what.timer);
  const auto one = [this, timer = what.timer](firing& now) { run(timer, now); };
  if (what.period != 0) {
    handles[0] =
        engine_->schedule_at_fixed_rate(deadlines[0] - time_point(duration(stage_.now())), duration(what.period), one,
                                        {.tag = options.tag, .lane = options.lane, .slack = options.slack});
  } else if (what.group != 0) {
    handles[0] = groups_[what.group]->schedule_at(deadlines[0], one, options);
  } else if (what.count == 1) {
    handles[0] = engine_->schedule_at(deadlines[0], one, options);
  } else {
    const auto each = [this, first = what.timer](firing& now, std::size_t i) {
      run(first + static_cast<std::uint32_t>(i), now);
    };
    engine_->schedule_at_bulk(deadlines, each, handles, options);
  }
}

void walk::cancel(const call& what) {
  if (what.count == 1) {
    if (!judge_.has_handle(what.timer)) return;
    judge_.begin_cancel(what.timer);
    return judge_.end_cancel(what.timer, judge_.handle(what.timer).cancel());
  }
  // Others may be armed before the call ends, in which it has no part.
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
  judge_.begin_run(timer, now);
  std::optional<ns> again;
  const call& armed_by = *arms_[timer];
  if (&armed_by != &no_more && armed_by.timer == timer) {
    for (const call& each : armed_by.inside) {
      if (each.what == verb::rearm && !again) {
        again = plays_.begin + each.at;
        now.rearm_at(time_point(duration(*again)));
      } else if (judge_.is_at_one_moment(each)) {
        stage_.undisturbed([&] { perform(each, 0); });
      } else {
        perform(each, 0);
      }
    }
  }
  if (judge_.runs_of(timer) > timer % most_periods && judge_.is_periodic(timer))
    cancel({.what = verb::cancel, .timer = timer});
  // Once: for the same time it would come again without end.
  if (again) arms_[timer] = &no_more;
  judge_.end_run(timer, again);
}

// --- The worker

void walk::step(const hooks::site* where) {
  const std::string_view function = where == nullptr ? "" : where->function;
  if (where == nullptr) {
    last_reading_ = stage_.now();
    // A pass is next, or a wait for one. Not all are seen: with work to do for groups there is more in between.
    if (std::exchange(has_swept_, false)) judge_.begin_pass(last_reading_);
  }
  has_swept_ = function == "is_asked";
  waiting_steps_ = where == nullptr || function == "has_rung" || function == "spin" ? waiting_steps_ + 1 : 0;
  if (waiting_steps_ % steps_of_a_wait != 0) return;
  // All that was due at the last look has been found since.
  if (waiting_steps_ > steps_of_a_wait && looked_at_ != last_looked_at_) judge_.wait(looked_at_);
  last_looked_at_ = std::exchange(looked_at_, stage_.now());
}

}  // namespace detent::worker_walks
