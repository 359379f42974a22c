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
  const spec::timer_id next = spec_->next_offer(0, 0);
  // What was refused comes first, and in order.
  const bool again = next != 0 && known().at(next).kept_for_retry;
  if (!again && (!known().keeps_order() || ambiguous(false))) return run_unknown(work), true;
  if (next == 0) fail("a timer was handed over that is not due");
  spec_->offered(next, 0);
  check_specified();
  return take(work, accounts_[of_epoch_[next - 1] - 1]);
}

// Which one it is shows when it runs.
void world::run_unknown(fired_timer& work) {
  turn_unknown_ = true;
  {
    allocations::engine_call scope;
    work();
  }
  expect(!turn_unknown_, "handed-over work did nothing");
}

// Whether timers of several threads share the deadline of the first due one (`all`: of any due one): no promise
// says which comes first.
bool world::ambiguous(bool all) const {
  const spec::timer* before = nullptr;
  for (const spec::timer_id id : known().turns_to_come()) {
    const spec::timer& each = known().at(id);
    if (before != nullptr && before->kept == each.kept && before->armer != each.armer) return true;
    if (before != nullptr && before->kept != each.kept && !all) return false;
    before = &each;
  }
  return false;
}

// False: refused.
bool world::take(fired_timer& work, account& timer) {
  const executor_habits& habits = made_with_.executor;
  const std::uint64_t choice = random_.below(habits.run + habits.hold + habits.refuse + habits.let_go);
  log_.note("execute", {timer.id, static_cast<std::int64_t>(choice)});
  const std::uint64_t ticket = known_of(timer)->ticket;
  const unsigned taken = habits.run + habits.hold + habits.let_go;
  // The order in which the rest waits behind a refused one must be known.
  const bool retries = made_with_.options.on_refusal == refusal_policy::retry;
  const bool runs = resting_ || faulty_pass_ || choice < habits.run || (choice >= taken && retries && ambiguous(true));
  if (!runs && choice >= taken) return refuse(timer);
  spec_->taken(timer.specified);
  if (runs) {
    run_work(work, timer.id, ticket);
  } else if (choice < habits.run + habits.hold) {
    held_.push_back({std::move(work), timer.id, ticket});
  } else {
    let_go(work, timer.id, ticket);
  }
  return true;
}

bool world::refuse(account& timer) {
  if (made_with_.options.on_refusal == refusal_policy::run_inline) running_work_ = timer.id;
  spec_->refused(timer.specified);
  return false;
}

// Whether the hand-over still counts.
bool world::valid(timer_id id, std::uint64_t ticket) const {
  const spec::timer* const of = alive() ? known_of(accounts_[id - 1]) : nullptr;
  return of != nullptr && of->now == spec::phase::handed && of->ticket == ticket;
}

void world::run_work(fired_timer& work, timer_id id, std::uint64_t ticket) {
  const bool runs = valid(id, ticket) && spec_->called(accounts_[id - 1].specified, ticket);
  running_work_ = runs ? id : 0;
  {
    allocations::engine_call scope;
    work();
  }
  expect(running_work_ == 0, "handed-over work did not run");
}

void world::let_go(fired_timer& work, timer_id id, std::uint64_t ticket) {
  const account& timer = accounts_[id - 1];
  const bool drops = valid(id, ticket), periodic = drops && known_of(timer)->periodic();
  if (drops) spec_->let_go(timer.specified, ticket, periodic ? armer(in_pass_ && faulty_pass_) : 0);
  {
    allocations::engine_call scope;
    fired_timer gone(std::move(work));
  }
  if (drops && timer.witnessed && !periodic) expect(timer.destroyed, "let go, but the captures are still there");
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
    log_.note(runs ? "run held" : "let go", {taken.id, valid(taken.id, taken.ticket)});
    if (runs) {
      run_work(taken.work, taken.id, taken.ticket);
    } else {
      let_go(taken.work, taken.id, taken.ticket);
    }
  }
}

}  // namespace detent::sim
