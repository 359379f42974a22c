// SPDX-License-Identifier: MIT
#include "search/worker_walks/walk.hpp"

#include "limits.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

namespace detent::worker_walks {
namespace {

// More turns than the worker takes from any place to its sleep, or to a spin.
constexpr unsigned most_turns = 10'000;
constexpr std::uint64_t steps_a_turn = 500;
// While the worker spins, time goes on in leaps that become longer. This is the first.
constexpr ns first_leap = 16;
// Deadlines after this are not waited for: members of paused groups are kept there, at the last ticks of all.
constexpr ns end_of_time = INT64_MAX - 1'000'000;
// While a call waits for the worker, the worker goes on by so many steps at a time.
constexpr std::uint64_t steps_for_a_waiter = 50;
// A worker that reads only the clock and the bell for so many steps in a row is waiting.
constexpr unsigned steps_of_a_wait = 16;

engine_options options_of(const program& plays, judge& observer, std::shared_ptr<executor> takes) {
  engine_options made;
  made.clock = clock_kind::steady;
  made.tick = duration(plays.tick);
  made.wheel = plays.hashed ? wheel_kind::hashed : wheel_kind::hierarchical;
  made.hashed_slots = 16;
  made.wait = plays.wait == 0 ? wait_options::busy() : plays.wait == 1 ? wait_options::hybrid() : wait_options::sleep();
  made.reserve = 64;
  made.max_pending = plays.capacity;
  if (plays.wake_budget != 0) made.wake_budget = duration(plays.wake_budget);
  made.executor = std::move(takes);
  if (plays.executor != 0) made.on_refusal = static_cast<refusal_policy>(plays.executor - 1);
  made.on_error = [&observer](const failed_callback& failed) { observer.note_failure(me, failed); };
  return made;
}

// Leaves out the timers that begin() has armed: one to admit the worker, and one by each producer.
engine_metrics without_first(engine_metrics all) {
  all.scheduled -= 1 + producers;
  all.expired -= 1;
  all.cancelled -= producers;
  all.fired -= 1;
  return all;
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
    if (each.does.what == verb::drain) return drain(&each);
    if (each.does.what == verb::stop) {
      begin_stop(each.steps != 0);
      return end_stop(engine_->stop());
    }
    play(each);
  }
  settle();
  end();
}

void walk::begin() {
  engine_.emplace(options_of(plays_, judge_, make_executor()));
  for (unsigned i = 1; i <= groups; ++i) groups_[i] = std::make_unique<timer_group>(*engine_);
  for (unsigned i = 1; i <= labels; ++i) labels_[i] = engine_->make_label(i == 1 ? "odd" : "even");
  // The deadline is past with any tick, because time does not go on by itself.
  engine_->schedule_at(time_point(duration(plays_.begin / 2)), [this] { stage_.admit_worker(); });
  stage_.wait_for_worker();
  // A thread's first call makes its record.
  for (unsigned i = 0; i != producers; ++i) {
    const std::function<void()> first = [this, i] {
      me = i + 1;
      engine_->schedule_after(std::chrono::hours(1), [] {}).cancel();
    };
    stage_.begin(i, first, to_the_end);
  }
}

void walk::play(const move& each) {
  switch (each.does.what) {
    case verb::work: return stage_.move_worker(each.steps, each.of_the_bell);
    case verb::time: return stage_.set_time(std::max(stage_.now(), plays_.begin + each.does.at));
    case verb::disturb: return stage_.disturb_worker();
    case verb::mood: mood_ = static_cast<mood>(each.steps % moods); return;
    default: return call_by(each);
  }
}

void walk::call_by(const move& each) {
  const unsigned producer = each.producer - 1;
  finish(producer);
  calls_[producer] = [this, &each] { perform(each.does, each.producer, each.steps == 0); };
  const bool whole = judge_.is_at_one_moment(each.does);
  stage_.begin(producer, calls_[producer], each.steps == 0 || whole ? to_the_end : each.steps);
  if (each.steps == 0 || whole) finish(producer);
}

// Moves the producer until its call has ended.
void walk::finish(unsigned producer) {
  for (unsigned turns = 0; stage_.state_of(producer) != actor::state::idle; ++turns) {
    if (turns == most_turns) fault("a call does not return");
    stage_.go_on(producer, to_the_end);
    if (stage_.state_of(producer) != actor::state::waits) continue;
    stage_.move_worker(steps_for_a_waiter);
    for (unsigned i = 0; i != producers; ++i) {
      if (i != producer && judge_.is_calling(i + 1)) stage_.go_on(i, steps_for_a_waiter);
    }
  }
  waiting_steps_ = 0;  // the worker's last looks were before the call
  looked_at_ = last_looked_at_ = INT64_MIN;
  bool all_idle = true;
  for (unsigned i = 0; i != producers; ++i) all_idle &= stage_.state_of(i) == actor::state::idle;
  if (const auto until = stage_.worker_sleeps_until(); until && all_idle && !stage_.is_woken()) judge_.sleep_on(*until);
}

// Ends all calls. Then all pending timers fire in their time, until the worker sleeps or spins without an end.
void walk::settle() {
  finish_all();
  mood_ = mood::runs;
  const std::function<void()> rest = [this] { hand_back(true); };
  stage_.begin(0, rest, to_the_end);
  finish(0);
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

// The worker moves by itself to its end. Calls that are under way end after it.
void walk::begin_stop(bool amid_calls) {
  for (unsigned i = 0; i != producers; ++i) {
    if (!amid_calls || judge_.is_calling(i + 1)) finish(i);  // the stop would wait for its run
  }
  judge_.begin_stop();
  stage_.release_worker();
}

void walk::end_stop(const std::vector<unfired_timer>& returned) {
  finish_all();
  judge_.end_by_stop(returned);
  judge_.begin_end();
  for (auto& each : groups_) each.reset();
  engine_.reset();
  held_.clear();
}

// "Lets pending timers fire for at most that long, or until none is pending, and then does the same as stop()." "Looks
// every millisecond." (engine::drain_for)
void walk::drain(const move* next) {
  const ns length = next->does.at, end = detail::add_saturated(stage_.now(), length);
  bool is_over = false;
  const auto look = [&] {
    if (is_over || (engine_->pending() != 0 && stage_.now() < end)) return;
    is_over = true;
    if (stage_.now() < end) judge_.check_empty();
    begin_stop(true);
  };
  look();
  stage_.nap_by([&](ns nap) {
    const ns until = stage_.now() + nap;
    if (nap > detail::limits::stop_looks || until > end)
      fault("drain_for sleeps for %lld", static_cast<long long>(nap));
    if (is_over) return stage_.set_time(end);  // calls that begin_stop() has ended may have armed timers
    if (++next < plays_.moves.data() + plays_.moves.size()) {
      play(*next);
    } else {
      stage_.move_worker(steps_a_turn);
    }
    stage_.set_time(std::max(stage_.now(), until));
    look();
  });
  end_stop(engine_->drain_for(duration(length)));
}

void walk::finish_all() {
  for (unsigned i = 0; i != producers; ++i) finish(i);
}

void walk::end() {
  judge_.end();
  judge_.check_at_rest(0, without_first(engine_->metrics()));
  for (unsigned i = 1; i <= labels; ++i) judge_.check_at_rest(i, engine_->metrics(labels_[i]));
  judge_.begin_end();
  stage_.release_worker();
  for (auto& each : groups_) each.reset();
  engine_.reset();
  held_.clear();
}

// --- The worker

void walk::step(const hooks::site* where) {
  const std::string_view function = where == nullptr ? "" : where->function;
  const bool is_bell = function == "has_rung";
  if (!is_bell) readings_of_a_wait_ = where == nullptr && last_is_bell_ ? readings_of_a_wait_ + 1 : 0;
  last_is_bell_ = is_bell;
  if (where == nullptr) {
    last_reading_ = stage_.now();
    // A pass comes next, or a wait for one. Some passes are not noticed, because work for groups comes in between.
    if (std::exchange(has_swept_, false)) {
      judge_.begin_pass(last_reading_);
    } else if (readings_of_a_wait_ > 1) {
      judge_.look_again(last_reading_);
    }
  }
  has_swept_ = function == "is_asked";
  waiting_steps_ = where == nullptr || function == "has_rung" || function == "spin" ? waiting_steps_ + 1 : 0;
  if (waiting_steps_ % steps_of_a_wait != 0) return;
  // A worker that still waits has found all timers that were due at its last look.
  if (waiting_steps_ > steps_of_a_wait && looked_at_ != last_looked_at_) judge_.wait(looked_at_);
  last_looked_at_ = std::exchange(looked_at_, stage_.now());
}

}  // namespace detent::worker_walks
