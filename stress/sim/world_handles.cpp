// SPDX-License-Identifier: MIT
// What handles are asked to do: timers that wait, run, or ended long ago.
#include "failure.hpp"
#include "world.hpp"

#include <algorithm>

namespace detent::sim {

// Of this engine. Where there is none: an account without a handle, which answers for nobody.
account* world::draw_timer(bool of_pending) {
  auto& ids = model_.of_epoch();
  if (ids.empty()) {
    account& nobody = model_.make();
    nobody.now = phase::ended;
    nobody.how = ending::never_made;
    return &nobody;
  }
  account* drawn = nullptr;
  for (int tries = of_pending ? 8 : 1; tries != 0; --tries) {
    // Half of them among the latest ones.
    const std::uint64_t among = random_.one_in(2) ? ids.size() : std::min<std::uint64_t>(ids.size(), 40);
    drawn = &model_.at(ids[ids.size() - 1 - random_.below(among)]);
    if (drawn->pending()) break;
  }
  return drawn;
}

void world::restart(account& timer) {
  if (!alive()) return;
  const bool after = random_.one_in(2);
  nanoseconds_t deadline = draw_deadline();
  if (random_.one_in(6)) deadline = timer.deadline;  // to where it is: it begins a new grid all the same
  if (after) deadline = std::max(deadline, now());
  const nanoseconds_t delay = minus(deadline, now());
  if (after) deadline = delay <= 0 ? now() : plus(now(), delay);
  const bool foreseen = timer.pending();
  const bool planned = plan_fault();
  const std::uint64_t refusals = allocations::refusals();
  bool moved = false;
  {
    allocations::engine_call scope;
    moved =
        after ? timer.handle.restart_after(duration(delay)) : timer.handle.restart_at(time_point(duration(deadline)));
  }
  const bool refused = allocations::refusals() != refusals;
  if (planned) allocations::calm();
  log_.note("restart", {timer.id, deadline, after, moved, refused});
  expect_equal(moved, foreseen, "restart()");
  if (!moved) return;
  ++model_.reported.restarted;
  timer.moved = true;
  model_.arm(timer, deadline, armer(refused));
}

void world::cancel(account& timer) {
  if (!alive()) return;
  cancel_result foreseen = cancel_result::gone;
  bool may_wait = true;
  if (timer.pending()) {
    foreseen = cancel_result::cancelled;
    model_.cancel(timer);  // before the call: the captures may call the engine
  } else if (timer.now == phase::firing) {
    foreseen = cancel_result::running;
    timer.cancelled_running = true;
    // Not for a callback of another thread, which waits for this very call.
    for (const running& each : running_) may_wait = may_wait && (each.id != timer.id || each.thread == crew_.me());
  }
  const bool wait = may_wait && random_.one_in(3);
  const bool planned = plan_fault();
  cancel_result result{};
  {
    allocations::engine_call scope;
    result = wait ? timer.handle.cancel_and_wait() : timer.handle.cancel();
  }
  if (planned) allocations::calm();
  log_.note("cancel", {timer.id, wait, static_cast<std::int64_t>(result)});
  expect_equal(static_cast<int>(result), static_cast<int>(foreseen), "cancel()");
  if (result == cancel_result::cancelled && timer.witnessed)
    expect(timer.destroyed, "cancelled, but the captures are still there");
}

void world::look_at(account& timer) {
  if (!alive()) return;
  const bool foreseen = timer.pending() ||
                        (timer.now == phase::firing && timer.periodic() && !timer.last_run && !timer.cancelled_running);
  expect_equal(timer.handle.pending(), foreseen, "timer::pending()");
}

// Nodes go through many generations, so that old handles meet new timers.
void world::churn(std::uint64_t lives) {
  if (!alive() || stopped_) return;
  for (std::uint64_t i = 0; i < lives && !model_.full(); ++i) {
    account& timer = model_.make();
    const nanoseconds_t deadline = draw_deadline();
    {
      allocations::engine_call scope;
      timer.handle = engine_->schedule_at(time_point(duration(deadline)), packed_callable{this, timer.id});
    }
    expect(handles_.insert(timer.handle).second, "a new timer has the handle of an older one");
    model_.arm(timer, deadline, armer(false));
    model_.scheduled(timer);
    cancel(timer);
  }
}

}  // namespace detent::sim
