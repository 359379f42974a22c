// SPDX-License-Identifier: MIT
#include "storm/scene.hpp"

#include "storm/player.hpp"
#include "storm/runner.hpp"

#include <thread>

namespace stress {

using namespace std::chrono_literals;

detent::engine_options random_options(random_numbers& random, unsigned pools, std::size_t* pool_threads) {
  detent::engine_options options;
  options.wheel = random.one_in(3) ? detent::wheel_kind::hashed : detent::wheel_kind::hierarchical;
  options.tick = random.pick(std::array<detent::duration, 5>{1ns, 1ns, 1us, 3777ns, 1ms});
  switch (random.below(3)) {
    case 0: options.wait = detent::wait_options::busy(); break;
    case 1: options.wait = detent::wait_options::hybrid(); break;
    default: options.wait = detent::wait_options::sleep();
  }
  options.reserve = random.one_in(2) ? 0 : 65536;
  if (!random.percent(pools)) return options;
  const std::size_t threads = 1 + random.below(3);
  const std::array<std::size_t, 4> capacities{1, 16, 64, 65536};
  options.executor = std::make_shared<detent::thread_pool>(
      detent::thread_pool_options{.threads = threads, .queue_capacity = random.pick(capacities)});
  options.on_refusal = random.one_in(2) ? detent::refusal_policy::run_inline : detent::refusal_policy::retry;
  if (pool_threads != nullptr) *pool_threads = threads;
  return options;
}

void set_up(scene& with, random_numbers& random) {
  weights& odds = with.odds;
  with.starved = random.percent(odds.starved);
  const bool refusing = !with.starved && random.percent(odds.refusing);
  with.aged = !with.starved && !refusing && odds.stale != 0 && random.percent(odds.aged);
  with.options = random_options(random,
                                with.starved            ? 100
                                : refusing || with.aged ? 0
                                                        : odds.pools,
                                &with.pool_threads);
  if (refusing) {
    with.options.executor = with.moody = std::make_shared<moody_executor>(random.next());
    with.options.on_refusal = random.one_in(2) ? detent::refusal_policy::run_inline : detent::refusal_policy::retry;
    odds.groups = 0;  // cancel_all_and_wait() would wait for what the threads that wait have to run
  }
  if ((with.starved || refusing) && random.one_in(3)) with.options.on_refusal = detent::refusal_policy::drop;
  with.may_drop = refusing || with.options.on_refusal == detent::refusal_policy::drop;
  if (with.aged) with.options.drive = detent::drive_kind::caller;
  const bool only_threads = odds.schedule + odds.cancel + odds.restart == 0;
  if (with.aged || only_threads) with.options.reserve = 0;
  with.few_nodes = only_threads && !with.may_drop;
  if (only_threads && with.options.wait.mode == detent::wait_options::kind::busy)
    with.options.wait = detent::wait_options::hybrid();
  with.in_step = random.one_in(4) && odds.groups + odds.engines + odds.threads + odds.destructors == 0 && !with.aged;
  with.stopped_in_midst = random.percent(odds.stop);
  with.unstopped = !with.stopped_in_midst && !with.moody && random.percent(odds.unstopped);
  with.accounts = std::size_t{1} << (with.in_step     ? 1 + random.below(4)
                                     : with.aged      ? 5
                                     : odds.near > 80 ? 3 + random.below(4)
                                     : only_threads   ? 4 + random.below(6)
                                                      : 4 + random.below(9));
}

detent::duration random_delay(random_numbers& random) {
  const std::uint64_t magnitude = random.below(5);
  if (magnitude == 0) return 0ns;
  return detent::duration(random.below(std::uint64_t{1} << (8 + 4 * magnitude)));
}

void call_back(scene& with) {
  thread_local int depth = 0;  // a refused callable is destroyed in the call, and calls back as well
  if (with.over || depth > 3) return;
  ++depth;
  random_numbers random(with.next_seed());
  player inner(with, random);
  for (std::uint64_t i = 1 + random.below(3); i != 0; --i) inner.step_in_callback();
  with.add(inner.counts());
  --depth;
}

void owning_callable::operator()(detent::firing& run) const {
  account& at = *seen_.of();
  if (!at.begin_run(seen_.life(), run)) return;
  role& part = at.part();
  random_numbers random(static_cast<std::uint64_t>(run.deadline().time_since_epoch().count()), seen_.life());
  const auto closed = [&] { return part.group != nullptr && part.era < part.group->closed; };
  require(!closed(), "a member ran after cancel_all_and_wait() had returned");
  while (part.gate != nullptr && *part.gate) std::this_thread::sleep_for(50us);
  if (part.rearm != 0ns && !random.one_in(8)) run.rearm_after(part.rearm);
  if (part.ends_itself && random.one_in(64)) {
    detent::timer self = run.self();
    const detent::cancel_result ended = random.one_in(2) ? self.cancel_and_wait() : self.cancel();
    require(ended == detent::cancel_result::running, "a callback's own cancel does not say running");
    at.run_no_more();
  }
  for (std::uint64_t i = random.one_in(4) ? random.below(256) : 0; i != 0; --i)
    require(at.is_inside(), "two runs of one timer overlap");
  require(!closed(), "cancel_all_and_wait() returned during a run");
  at.end_run();
}

}  // namespace stress
