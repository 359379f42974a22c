// SPDX-License-Identifier: MIT
#include "storm/player.hpp"

#include "storm/neighbours.hpp"
#include "storm/runner.hpp"

#include <detent/detail/timer_access.hpp>

#include <thread>

namespace stress {

using namespace std::chrono_literals;

namespace {

// Threads leave their nodes to others. A leak would pass what a thread caches and what waits to be accepted.
constexpr std::uint32_t most_nodes = 32768;

// Made before the engine's own thread-local data, and so destroyed after it: its calls come from a thread without any.
struct late_caller {
  scene* with = nullptr;
  std::uint64_t seed = 0;
  late_caller() = default;
  late_caller(const late_caller&) = delete;
  late_caller& operator=(const late_caller&) = delete;
  ~late_caller() {
    if (with == nullptr) return;
    random_numbers random(seed);
    player last(*with, random);
    for (int i = 0; i < 4; ++i) last.step_evenly(random.one_in(8));
    with->add(last.counts());
  }
};

void live_shortly(scene& with, std::uint64_t seed) {
  thread_local late_caller late;
  random_numbers random(seed);
  late.seed = random.next();
  late.with = random.one_in(8) ? &with : nullptr;
  player one(with, random);
  for (std::uint64_t i = random.one_in(8) ? 300 : random.below(6); i != 0; --i) one.step_evenly(random.one_in(8));
  with.add(one.counts());
}

}  // namespace

void player::step() {
  if (with_.moody && random_.one_in(2) && with_.moody->work_off(random_)) return;
  if (with_.starved && random_.one_in(32)) std::this_thread::sleep_for(detent::duration(random_.below(200'000)));
  ++mine_.operations;
  const weights& odds = with_.odds;
  const unsigned simple = odds.schedule + odds.cancel + odds.restart;
  auto drawn = static_cast<unsigned>(random_.below(simple + odds.stale + odds.groups + odds.engines + odds.threads));
  if (drawn < simple) return meet(drawn);
  if ((drawn -= simple) < odds.stale) return use_old();
  if ((drawn -= odds.stale) < odds.groups) return step_on_groups();
  if (drawn - odds.groups < odds.engines) return live_on_an_engine();
  live_on_a_thread();
}

void player::meet(unsigned drawn) {
  account& at = with_.book->any(random_);
  const sighting seen = at.look();
  const weights& odds = with_.odds;
  if (!seen || at.ended(seen.life)) return schedule(at);
  if (drawn < odds.restart) return restart(seen);
  if (drawn < odds.restart + odds.cancel) return cancel(seen, random_.percent(odds.waits));
  if (random_.one_in(64)) static_cast<void>(with_.engine->metrics());
  if (random_.one_in(8)) static_cast<void>(with_.engine->pending());
  // No more of it but the rest of its run, and perhaps its marks.
  if (!seen.handle.pending()) restart(seen);
}

void player::step_evenly(bool may_wait) {
  ++mine_.operations;
  account& at = with_.book->any(random_);
  const sighting seen = at.look();
  if (!seen || at.ended(seen.life)) return schedule(at);
  random_.one_in(2) ? cancel(seen, may_wait) : restart(seen);
}

void player::step_in_callback() {
  if (random_.one_in(16)) {
    static_cast<void>(with_.engine->pending());
    static_cast<void>(with_.engine->metrics());
  }
  // An executor's thread could wait for a run that waits for it.
  step_evenly(!with_.options.executor && random_.percent(with_.odds.waits));
}

detent::time_point player::soon() {
  const detent::duration delay = random_.percent(with_.odds.near)
                                     ? detent::duration(random_.below(8) * random_.below(10'000))
                                     : random_delay(random_);
  return detent::clock::now() + delay;
}

void player::schedule(account& at) {
  const bool periodic = random_.percent(with_.odds.periodic), calls_back = random_.percent(with_.odds.destructors);
  const bool silent = with_.may_drop || periodic, owning = silent || calls_back || random_.one_in(2);
  const deadline_rule rule = periodic            ? deadline_rule::loose
                             : random_.one_in(4) ? deadline_rule::contended
                                                 : deadline_rule::exact;
  const auto deadline = soon();
  const bool over = at.engine_stopped();
  outcome before = outcome::unborn;
  const life_number life = at.open(deadline, rule, owning, silent, before);
  if (life == 0) return;
  mine_.count_end(before);
  at.part().calls_back = calls_back;
  if (with_.starved && owning && random_.one_in(16)) at.part().gate = &with_.gate;
  detent::timer made;
  if (periodic) {
    made = schedule_periodic(at, life);
  } else if (!owning) {
    made = with_.engine->try_schedule_at(deadline, plain_callable{&at, life});
  } else if (random_.one_in(8)) {
    made = with_.engine->try_schedule_at(deadline, large_callable{owning_callable(with_, at, life)});
  } else {
    made = with_.engine->try_schedule_at(deadline, owning_callable(with_, at, life));
  }
  finish_scheduling({&at, life, {}, silent, periodic}, made, over);
}

detent::timer player::schedule_periodic(account& at, life_number life) {
  const detent::duration shortest = with_.accounts <= 64 ? 1ns : 1ms;
  const detent::duration period = shortest + detent::duration(random_.below(4) * random_.below(20'000));
  const detent::duration initial = random_delay(random_) / 64;
  detent::periodic_options options{
      .runs = random_.one_in(3) ? 1 + random_.below(4) : 0,
      .missed_policy = random_.pick(
          std::array{detent::missed_ticks::skip, detent::missed_ticks::burst, detent::missed_ticks::delay})};
  role& part = at.part();
  part.most_runs = options.runs;
  part.ends_itself = true;
  owning_callable callable(with_, at, life);
  switch (random_.below(3)) {
    case 0: return with_.engine->try_schedule_at_fixed_rate(initial, period, std::move(callable), options);
    case 1: return with_.engine->try_schedule_with_fixed_delay(initial, period, std::move(callable), options);
    default:
      part.most_runs = 0;
      part.rearm = period;
      return with_.engine->try_schedule_after(initial, std::move(callable));
  }
}

void player::finish_scheduling(sighting born, detent::timer made, bool over) {
  born.of->scheduled(born.life, made);
  require(!made || !over, "a timer was scheduled after stop()");
  if (!made) {
    require(with_.engine->stopped(), "an engine that runs refuses a timer");
    ++mine_.refused;
    return;
  }
  ++mine_.scheduled;
  require(!with_.few_nodes || detent::detail::timer_access::index(made) < most_nodes,
          "threads that ended left nodes behind");
  born.handle = made;
  old_[random_.below(old_.size())] = born;
}

void player::cancel(const sighting& seen, bool wait) {
  if (seen.of->cancel(seen, wait) != detent::cancel_result::cancelled) return;
  ++(seen.silent ? mine_.cancelled_silent : mine_.cancelled);
}

void player::restart(const sighting& seen) { mine_.restarted += seen.of->restart(seen, soon()); }

void player::use_old() {
  if (!with_.first_handles.empty() && random_.one_in(2)) {
    detent::timer old = with_.first_handles[random_.below(with_.first_handles.size())];
    require(!old.pending(), "a handle of a first life says pending");
    require(old.cancel() == detent::cancel_result::gone, "a handle of a first life cancelled something");
    require(!old.restart_after(1h), "a handle of a first life restarted something");
    require(old.cancel_and_wait() == detent::cancel_result::gone, "a handle of a first life waited for something");
    return;
  }
  const sighting& old = old_[random_.below(old_.size())];
  if (!old) return;
  if (old.of->ended(old.life)) require(!old.handle.pending(), "a timer that has ended is pending");
  random_.one_in(2) ? cancel(old, random_.percent(with_.odds.waits)) : restart(old);
}

void player::live_on_a_thread() {
  std::thread([this, seed = random_.next()] { live_shortly(with_, seed); }).join();
  ++mine_.threads;
}

void player::live_on_an_engine() {
  with_.neighbours->live_once(random_);
  ++mine_.engines;
}

}  // namespace stress
