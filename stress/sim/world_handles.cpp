// SPDX-License-Identifier: MIT
// What handles are asked to do: timers that wait, run, or ended long ago.
#include "failure.hpp"
#include "world.hpp"

#include <algorithm>

namespace detent::sim {

// Of this engine. Where there is none: an account without a handle, which answers for nobody.
account* world::draw_timer(bool of_pending) {
  const std::vector<timer_id>& ids = of_epoch_;
  if (ids.empty()) return &make_account();
  account* drawn = nullptr;
  for (int tries = of_pending ? 8 : 1; tries != 0; --tries) {
    // Half of them among the latest ones.
    const std::uint64_t among = random_.one_in(2) ? ids.size() : std::min<std::uint64_t>(ids.size(), 40);
    drawn = &accounts_[ids[ids.size() - 1 - random_.below(among)] - 1];
    if (is_pending(*drawn)) break;
  }
  return drawn;
}

// That for which it was armed last.
nanoseconds_t world::last_deadline(const account& timer) const {
  const spec::timer* const of = known_of(timer);
  return of == nullptr ? 0 : of->kept;
}

void world::restart(account& timer) {
  if (!alive()) return;
  const bool after = random_.one_in(2);
  nanoseconds_t deadline = draw_deadline();
  if (random_.one_in(6)) deadline = last_deadline(timer);  // to where it is: it begins a new grid all the same
  if (after) deadline = std::max(deadline, now());
  const nanoseconds_t delay = minus(deadline, now());
  if (after) deadline = delay <= 0 ? now() : plus(now(), delay);
  const bool foreseen = is_pending(timer);
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
  expect(spec_->restart(timer.specified, deadline, armer(refused)), "restart()");
}

void world::cancel(account& timer) {
  if (!alive()) return;
  cancel_result foreseen = cancel_result::gone;
  bool may_wait = true;
  // Before the call: the captures may call the engine.
  if (known_of(timer) != nullptr) foreseen = spec_->cancel(timer.specified);
  // Not for a callback of another thread, which waits for this very call.
  for (const running& each : running_) may_wait = may_wait && (each.id != timer.id || each.thread == crew_.me());
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
  const bool foreseen = known_of(timer) != nullptr && known().pending(timer.specified);
  expect_equal(timer.handle.pending(), foreseen, "timer::pending()");
}

// Nodes go through many generations, so that old handles meet new timers.
void world::churn(std::uint64_t lives) {
  if (!alive() || stopped_) return;
  for (std::uint64_t i = 0; i < lives && known().reasons_against({}).empty(); ++i) {
    account& timer = make_account();
    const nanoseconds_t deadline = draw_deadline();
    {
      allocations::engine_call scope;
      timer.handle = engine_->schedule_at(time_point(duration(deadline)), packed_callable{this, timer.id});
    }
    expect(handles_.insert(timer.handle).second, "a new timer has the handle of an older one");
    scheduled(timer, {.when = deadline}, false);
    cancel(timer);
  }
}

}  // namespace detent::sim
