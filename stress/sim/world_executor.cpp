// SPDX-License-Identifier: MIT
// An executor that does what an executor may: runs at once, keeps, refuses, lets go; and what becomes of what it keeps.
#include "failure.hpp"
#include "world.hpp"

#include <utility>

namespace detent::sim {

bool world::execute(fired_timer&& work) {
  allocations::own_code scope;
  expect(alive() && in_pass_, "execute() outside poll()");
  expect(running_work_ == 0, "a refused timer was not run");
  drop_stale_retries();
  if (retries_.empty()) return execute_first(work);
  // What was refused comes first, and in order.
  const waiting_retry again = retries_.front();
  retries_.erase(retries_.begin());
  if (take(work, model_.at(again.id))) return true;
  retries_.insert(retries_.begin(), again);
  return false;
}

bool world::execute_first(fired_timer& work) {
  if (order_lost_ || model_.ambiguous(false)) {
    // Which one it is shows when it runs.
    turn_unknown_ = true;
    {
      allocations::engine_call scope;
      work();
    }
    expect(!turn_unknown_, "handed-over work did nothing");
    return true;
  }
  account* first = model_.first_candidate();
  if (first == nullptr) fail("a timer was handed over that is not due");
  model_.hand_over(*first);
  ++turns_;
  if (take(work, *first)) return true;
  if (made_with_.options.on_refusal == refusal_policy::retry) retries_.push_back({first->id, first->slot});
  return false;
}

// False: refused.
bool world::take(fired_timer& work, account& timer) {
  const executor_habits& habits = made_with_.executor;
  std::uint64_t choice = random_.below(habits.run + habits.hold + habits.refuse + habits.let_go);
  log_.note("execute", {timer.id, static_cast<std::int64_t>(choice)});
  if (resting_ || faulty_pass_ || choice < habits.run) return run_work(work, timer.id, timer.slot), true;
  choice -= habits.run;
  if (choice < habits.hold) {
    held_.push_back({std::move(work), timer.id, timer.slot});
    return true;
  }
  choice -= habits.hold;
  if (choice < habits.let_go) return let_go(work, timer.id, timer.slot), true;
  // The order in which the rest waits behind a refused one must be known.
  const bool retries = made_with_.options.on_refusal == refusal_policy::retry;
  if (retries && model_.ambiguous(true)) return run_work(work, timer.id, timer.slot), true;
  return refuse(timer);
}

bool world::refuse(account& timer) {
  ++model_.reported.refused;
  switch (made_with_.options.on_refusal) {
    case refusal_policy::run_inline: running_work_ = timer.id; break;
    case refusal_policy::drop: drop_run(timer); break;
    case refusal_policy::retry: break;
  }
  return false;
}

// A run that is not to be. A periodic timer goes on with the next.
void world::drop_run(account& timer) {
  if (!timer.periodic()) return model_.end(timer, ending::dropped);
  if (timer.moved) timer.rule.grid = timer.deadline;
  timer.moved = false;
  start_period(timer.rule, timer.deadline, now(), model_.tick());
  if (timer.rule.kind == repetition::fixed_delay) timer.rule.grid = plus(now(), timer.rule.period);
  // Dropped inside the pass by the thread that polls, it has had its turn.
  if (in_pass_ && pass_thread_ == crew_.me()) timer.pass = model_.pass();
  model_.arm(timer, timer.rule.grid, armer(in_pass_ && faulty_pass_));
}

// Whether the hand-over still counts.
bool world::valid(timer_id id, std::uint64_t slot) {
  const account& timer = model_.at(id);
  return alive() && timer.epoch == model_.epoch() && timer.now == phase::handed && timer.slot == slot;
}

void world::drop_stale_retries() {
  while (!retries_.empty() && !valid(retries_.front().id, retries_.front().slot)) retries_.erase(retries_.begin());
}

void world::run_work(fired_timer& work, timer_id id, std::uint64_t slot) {
  running_work_ = valid(id, slot) ? id : 0;
  {
    allocations::engine_call scope;
    work();
  }
  expect(running_work_ == 0, "handed-over work did not run");
}

void world::let_go(fired_timer& work, timer_id id, std::uint64_t slot) {
  account& timer = model_.at(id);
  const bool drops = valid(id, slot);
  if (drops) drop_run(timer);
  {
    allocations::engine_call scope;
    fired_timer gone(std::move(work));
  }
  if (drops && timer.witnessed && !timer.periodic())
    expect(timer.destroyed, "let go, but the captures are still there");
}

// Sooner or later, in any order, on any thread.
void world::play_with_held() {
  if (held_.empty()) return;
  std::uint64_t left = random_.one_in(3) ? held_.size() : 1;
  for (; left != 0 && !held_.empty(); --left) {
    const auto at = static_cast<std::ptrdiff_t>(random_.one_in(2) ? 0 : random_.below(held_.size()));
    held_work taken = std::move(held_[static_cast<std::size_t>(at)]);
    held_.erase(held_.begin() + at);
    const bool runs = resting_ || !random_.one_in(6);
    log_.note(runs ? "run held" : "let go", {taken.id, valid(taken.id, taken.slot)});
    if (runs) {
      run_work(taken.work, taken.id, taken.slot);
    } else {
      let_go(taken.work, taken.id, taken.slot);
    }
  }
}

}  // namespace detent::sim
