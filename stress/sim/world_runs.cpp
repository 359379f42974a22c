// SPDX-License-Identifier: MIT
// What callbacks see and do, and when their captures go.
#include "failure.hpp"
#include "world.hpp"

#include <stdexcept>

namespace detent::sim {

void callable_runs(world& in, timer_id id, firing* run) { in.run(id, run); }
void callable_destroyed(world& in, timer_id id) { in.destroyed(id); }

void world::run(timer_id id, firing* seen) {
  allocations::own_code scope;
  account& timer = model_.at(id);
  if (running_unfired_ == id) return run_unfired(timer, seen);
  begin_run(timer, seen);
  act(timer, seen);
  const bool throws = !resting_ && random_.percent(habits_.throw_percent);
  if (throws && alive()) ++model_.reported.failed;
  end_run(timer);
  if (throws) throw std::runtime_error("thrown by a callback");
}

void world::begin_run(account& timer, firing* seen) {
  expect(alive() && timer.epoch == model_.epoch(), "a callback ran after its engine's end");
  expect(!timer.destroyed, "a callback ran after its captures were destroyed");
  begin_turn(timer);
  if (in_pass_ && pass_thread_ == crew_.me()) ++ran_;
  model_.start(timer);
  running_.push_back({timer.id, crew_.me()});
  const period_run stands_for = foresee_run(timer, seen);
  log_.note("run", {timer.id, stands_for.deadline, now(), static_cast<std::int64_t>(stands_for.missed)});
}

void world::begin_turn(account& timer) {
  if (running_work_ == timer.id) {
    expect(timer.now == phase::handed, "a handed-over timer ran though a cancel or restart had won");
    running_work_ = 0;
    // Run inside the pass by the thread that polls, it has had its turn.
    if (in_pass_ && pass_thread_ == crew_.me()) timer.pass = model_.pass();
    return;
  }
  const bool in_turn = in_pass_ && (!made_with_.has_executor || turn_unknown_);
  if (!in_turn) fail("a callback ran out of turn", std::to_string(timer.id));
  if (!model_.is_candidate(timer))
    fail("a callback ran that was not due, or twice in one poll()", std::to_string(timer.id));
  if (const account* other = model_.overtaken_by(timer); other != nullptr && !order_lost_)
    fail("a callback ran before its turn", std::to_string(timer.id) + " before " + std::to_string(other->id));
  timer.pass = model_.pass();
  turn_unknown_ = false;
  ++turns_;
}

// What this run must be passed; checked against what it is passed.
period_run world::foresee_run(account& timer, firing* seen) {
  const nanoseconds_t started = now();
  expect(started >= timer.deadline, "a callback ran early");
  period_run run{timer.deadline, 0};
  bool stale = false;
  if (timer.periodic()) {
    if (timer.moved) timer.rule.grid = timer.deadline;
    run = start_period(timer.rule, timer.deadline, started, model_.tick());
    timer.last_run = timer.runs_left != 0 && --timer.runs_left == 0;
  } else {
    stale = minus(started, timer.deadline) > timer.max_lateness;
    expect(!stale || timer.runs_stale, "a stale timer ran");
  }
  timer.moved = false;
  if (seen == nullptr) return run;
  expect_equal(seen->deadline().time_since_epoch().count(), run.deadline, "firing::deadline()");
  expect_equal(seen->started().time_since_epoch().count(), started, "firing::started()");
  expect_equal(seen->lateness().count(), minus(started, run.deadline), "firing::lateness()");
  expect_equal(seen->missed(), run.missed, "firing::missed()");
  expect_equal(seen->stale(), stale, "firing::stale()");
  expect(seen->self() == timer.handle, "firing::self()");
  return run;
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
  timer.rearmed = true;
  timer.rearm_at = delay <= 0 ? now() : plus(now(), delay);
  if (random_.one_in(2)) {
    timer.rearm_at = plus(now(), delay);
    seen->rearm_at(time_point(duration(timer.rearm_at)));
  } else {
    seen->rearm_after(duration(delay));
  }
  log_.note("rearm", {timer.id, timer.rearm_at});
}

void world::end_run(account& timer) {
  running_.pop_back();
  if (!alive() || timer.epoch != model_.epoch()) {  // it has ended its engine
    timer.now = phase::ended;
    timer.how = ending::returned;
    return;
  }
  const bool again = (timer.rearmed || timer.periodic()) && !timer.last_run && !timer.cancelled_running;
  if (!again) {
    const bool cancelled = timer.periodic() && timer.cancelled_running && !timer.last_run;
    return model_.end(timer, cancelled ? ending::cancelled : ending::expired);
  }
  if (timer.rearmed) {
    timer.rule.grid = timer.rearm_at;
  } else if (timer.rule.kind == repetition::fixed_delay) {
    timer.rule.grid = plus(now(), timer.rule.period);
  }
  model_.arm(timer, timer.rule.grid, armer(in_pass_ && faulty_pass_));
}

void world::destroyed(timer_id id) {
  allocations::own_code scope;
  account& timer = model_.at(id);
  log_.note("destroyed", {id});
  expect(!timer.destroyed, "a callable was destroyed twice");
  if (timer.pending()) {
    const bool stale = !timer.periodic() && !timer.runs_stale && minus(now(), timer.deadline) > timer.max_lateness;
    if (closing_) {
      model_.end(timer, ending::returned);
    } else if (!stale) {
      fail("a callable was destroyed while its timer is pending", std::to_string(id));
    } else {
      const bool unknown = turn_unknown_;
      const std::size_t turns = turns_;
      begin_turn(timer);
      if (!unknown) turns_ = turns;  // no run and no hand-over: nothing that poll() counts
      model_.end(timer, ending::dropped);
    }
  }
  expect(timer.now != phase::firing, "a callable was destroyed while it runs");
  timer.destroyed = true;
  if (timer.owns == 0 || timer.epoch != model_.epoch()) return;
  account& owned = model_.at(timer.owns);
  if (alive()) return cancel(owned);
  if (closing_ && engine_ == nullptr) {  // inside ~engine: it ends one way or the other
    allocations::engine_call call;
    scoped_timer(owned.handle).get();
  }
}

void world::run_unfired(account& timer, firing* seen) {
  expect(timer.how == ending::returned, "an `unfired` ran that nobody had returned");
  log_.note("run unfired", {timer.id});
  if (seen != nullptr) {
    expect(seen->self() == detent::timer(), "firing::self() of an `unfired`");
    expect_equal(seen->deadline().time_since_epoch().count(), timer.deadline, "firing::deadline() of an `unfired`");
    seen->rearm_after(duration(1));
  }
  if (random_.one_in(3)) throw std::runtime_error("thrown by an unfired callback");
}

}  // namespace detent::sim
