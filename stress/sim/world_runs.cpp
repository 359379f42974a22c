// SPDX-License-Identifier: MIT
// What callbacks see and do, and when their captures go.
#include "failure.hpp"
#include "world.hpp"

#include <algorithm>
#include <stdexcept>

namespace detent::sim {

void callable_runs(world& in, timer_id id, firing* run) { in.run(id, run); }
void callable_destroyed(world& in, timer_id id) { in.destroyed(id); }

void world::run(timer_id id, firing* seen) {
  allocations::own_code scope;
  account& timer = accounts_[id - 1];
  if (running_unfired_ != nullptr && running_unfired_->id == id) return run_unfired(timer, seen);
  begin_run(timer, seen);
  act(timer, seen);
  const bool throws = !resting_ && random_.percent(habits_.throw_percent);
  end_run(timer, throws);
  if (throws) throw std::runtime_error("thrown by a callback");
}

void world::begin_run(account& timer, firing* seen) {
  expect(alive() && timer.epoch == epoch_, "a callback ran after its engine's end");
  expect(!timer.destroyed, "a callback ran after its captures were destroyed");
  had_turn(timer);
  const spec::run_report foreseen = spec_->begin_run(timer.specified, my_identity());
  check_specified();
  running_.push_back({timer.id, crew_.me()});
  if (seen != nullptr) check_firing(timer, *seen, foreseen);
  log_.note("run", {timer.id, foreseen.deadline, now(), static_cast<std::int64_t>(foreseen.missed)});
}

// It runs, or is dropped. Where there is an executor, that is because the work that is called is its own.
void world::had_turn(const account& timer) {
  if (running_work_ == timer.id) {
    running_work_ = 0;
    return;
  }
  if (made_with_.has_executor && !turn_unknown_) fail("a callback ran out of turn", std::to_string(timer.id));
  turn_unknown_ = false;
}

void world::check_firing(const account& timer, const firing& seen, const spec::run_report& foreseen) const {
  expect_equal(seen.deadline().time_since_epoch().count(), foreseen.deadline, "firing::deadline()");
  expect_equal(seen.started().time_since_epoch().count(), now(), "firing::started()");
  expect_equal(seen.lateness().count(), foreseen.lateness, "firing::lateness()");
  expect_equal(seen.missed(), foreseen.missed, "firing::missed()");
  expect_equal(seen.stale(), foreseen.stale, "firing::stale()");
  expect(seen.self() == timer.handle, "firing::self()");
}

void world::act(account& timer, firing* seen) {
  if (resting_) return;
  for (std::uint64_t left = random_.below(4); left != 0 && alive(); --left) act_once(timer, seen);
}

void world::act_once(account& timer, firing* seen) {
  switch (random_.below(16)) {
    case 0:
    case 1:
    case 2: return on_some_thread([this] { schedule(); });
    case 3:
    case 4: return on_some_thread([this] { restart(*draw_timer(true)); });
    case 5:
    case 6: return on_some_thread([this] { cancel(*draw_timer(true)); });
    case 7: return on_some_thread([this] { look_at(*draw_timer(false)); });
    case 8: return move_clock();
    case 9: return on_some_thread([this] { poll(); });
    case 10: return stop_inside();
    case 11:
      if (running_.size() < 3) on_some_thread([this] { play_with_held(); });
      return;
    case 12:
      if (habits_.destroys_inside && random_.one_in(8)) close_engine();
      return;
    default: return act_on_self(timer, seen);
  }
}

void world::act_on_self(account& timer, firing* seen) {
  switch (random_.below(6)) {
    case 0: return cancel(timer);
    case 1: return restart(timer);
    case 2: return look_at(timer);
    default: break;
  }
  if (seen == nullptr) return;
  const nanoseconds_t delay = draw_delay();
  nanoseconds_t deadline = delay <= 0 ? now() : plus(now(), delay);
  if (random_.one_in(2)) {
    deadline = plus(now(), delay);
    seen->rearm_at(time_point(duration(deadline)));
  } else {
    seen->rearm_after(duration(delay));
  }
  spec_->rearm(timer.specified, deadline);
  log_.note("rearm", {timer.id, deadline});
}

void world::end_run(account& timer, bool threw) {
  running_.pop_back();
  if (!alive() || timer.epoch != epoch_) return;  // it has ended its engine
  const bool again = known_of(timer)->runs_again();
  spec_->end_run(timer.specified, again ? armer(in_pass_ && faulty_pass_) : 0, threw);
}

void world::destroyed(timer_id id) {
  allocations::own_code scope;
  account& timer = accounts_[id - 1];
  log_.note("destroyed", {id});
  expect(!timer.destroyed, "a callable was destroyed twice");
  expect(std::none_of(running_.begin(), running_.end(), [id](const running& each) { return each.id == id; }),
         "a callable was destroyed while it runs");
  timer.destroyed = true;
  if (is_pending(timer)) {
    // What is too late already is dropped without the executor.
    const bool alone = made_with_.has_executor && !turn_unknown_ && known_of(timer)->now == spec::phase::waiting;
    spec_->captures_destroyed(timer.specified);
    check_specified();
    if (!alone) had_turn(timer);
  }
  if (timer.owns == 0 || timer.epoch != epoch_) return;
  account& owned = accounts_[timer.owns - 1];
  if (alive()) return cancel(owned);
  if (closing_ && engine_ == nullptr) {  // inside ~engine: it ends one way or the other
    allocations::engine_call call;
    scoped_timer(owned.handle).get();
  }
}

void world::run_unfired(account& timer, firing* seen) {
  log_.note("run unfired", {timer.id});
  if (seen != nullptr) {
    expect(seen->self() == detent::timer(), "firing::self() of an `unfired`");
    expect_equal(seen->deadline().time_since_epoch().count(), running_unfired_->deadline,
                 "firing::deadline() of an `unfired`");
    seen->rearm_after(duration(1));
  }
  if (random_.one_in(3)) throw std::runtime_error("thrown by an unfired callback");
}

}  // namespace detent::sim
