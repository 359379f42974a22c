// SPDX-License-Identifier: MIT
// stop() against whoever still schedules, restarts or runs: every timer ends exactly once, and is not forgotten.
#include "scenario.hpp"
#include "submission.hpp"
#include "timers.hpp"

#include <detent/detail/doorbell.hpp>

namespace model {
namespace {

using states::collect_result;

constexpr std::int64_t now = 10, after = 100;
constexpr std::uint32_t generation = 0;

struct engine {
  detent::detail::doorbell bell;
  submission_stand_in<1, 2> queue;
  detent::base::atomic<std::uint32_t> lifecycle{0};
  detent::base::atomic<std::uint32_t> carved{0};  // nodes that stop() looks at
  detent::base::atomic<std::uint32_t> stop_done{0};
  detent::base::atomic<std::uint32_t> driver_ended{1};
  timer only;

  bool open() const { return lifecycle.load(detent::base::relaxed) == 0; }
};

// Each end of a timer is counted; there is to be one.
struct ends {
  int fired = 0, returned = 0, taken_back = 0;
  int all() const { return fired + returned + taken_back; }
};

// As publish: true if the caller gets a handle.
bool schedule(engine& host, ends& count) {
  if (!host.open()) return false;
  host.carved.fetch_add(1, detent::base::release);
  host.only.publish(5, timer_state::queued, now);
  std::uint64_t word = host.only.word();
  host.queue.push(0, generation);
  host.bell.fence_push();
  if (host.bell.earlier_than_wake(now)) host.bell.ring();
  if (!host.open() && states::collect(host.only.pair, word) == collect_result::returned) {
    host.only.destroy_callable();
    ++count.taken_back;
    return false;
  }
  return true;
}

void stop(engine& host, ends& count) {
  std::uint32_t open = 0;
  if (!host.lifecycle.compare_exchange_strong(open, 1, detent::base::acq_rel, detent::base::acquire)) {
    while (host.stop_done.load(detent::base::acquire) == 0) detent::base::futex_wait(host.stop_done, 0, INT64_MAX);
    return;
  }
  host.bell.fence_stop();
  while (host.driver_ended.load(detent::base::acquire) == 0) detent::base::futex_wait(host.driver_ended, 0, INT64_MAX);
  if (host.carved.load(detent::base::acquire) != 0 && states::collect(host.only.pair) == collect_result::returned) {
    host.only.destroy_callable();
    ++count.returned;
  }
  host.stop_done.store(1, detent::base::release);
  detent::base::futex_wake(host.stop_done, INT32_MAX);
}

// The producer does not see the stop, or the stop does not see its timer: not both. `Asymmetric`: the producer's fence
// is a light one.
template <bool Asymmetric>
void against_schedule(execution& run) {
  auto& host = run.make<engine>("engine");
  host.bell.allow_asymmetric(Asymmetric);
  if (Asymmetric) host.bell.begin_asymmetric();
  host.bell.lower(now);  // nobody has to ring, so that the producer's own fence is all there is
  ends count[2];
  bool handle = false;
  run.thread("producer", [&] { handle = schedule(host, count[0]); });
  run.thread("stopper", [&] { stop(host, count[1]); });
  run.join();
  int all = count[0].all() + count[1].all();
  require(all <= 1, "one timer ended twice");
  reach(count[0].taken_back ? "taken back" : count[1].returned ? "returned" : "refused");
  if (handle) require(count[1].returned == 1, "a handle to a timer that stop() did not find");
}

// A driver fires meanwhile, and stop() waits for it: from what it has taken up nobody takes anything back.
void against_schedule_and_expiry(execution& run) {
  auto& host = run.make<engine>("engine");
  host.driver_ended.store(0, detent::base::relaxed);
  ends count[3];
  bool handle = false;
  run.thread("producer", [&] { handle = schedule(host, count[0]); });
  run.thread("driver", [&] {
    host.queue.take_all([&](std::uint64_t entry) {
      std::uint64_t word = 0;
      std::int64_t deadline = 0;
      if (states::take_up(host.only.pair, static_cast<std::uint32_t>(entry)) != states::take_up_result::armed) return;
      require(state_word::state(host.only.word()) == timer_state::armed, "taken back from the driver");
      if (!start_if_due(host.only, now, word, deadline)) return;
      host.only.run();
      end_run(host.only, word);
      ++count[2].fired;
    });
    host.driver_ended.store(1, detent::base::release);
    detent::base::futex_wake(host.driver_ended, INT32_MAX);
  });
  run.thread("stopper", [&] { stop(host, count[1]); });
  run.join();
  int all = count[0].all() + count[1].all() + count[2].all();
  require(all <= 1, "one timer ended twice");
  if (handle) require(all == 1, "a timer that neither fired nor came back");
}

// Collected by two: the producer that finds the engine stopped, and stop(); and restarted by a third, whose arming the
// producer must leave alone.
void against_restart(execution& run) {
  auto& host = run.make<engine>("engine");
  host.carved.store(1, detent::base::relaxed);
  host.only.publish(5, timer_state::queued, now);
  const std::uint64_t word = host.only.word();
  ends count[3];
  bool restarted = false;
  run.thread("producer", [&] {
    host.bell.fence_push();
    if (!host.open() && states::collect(host.only.pair, word) == collect_result::returned) {
      host.only.destroy_callable();
      ++count[0].taken_back;
    }
  });
  run.thread("restarter", [&] {
    restarted = states::restart(host.only.pair, generation, after, 6) != states::restart_transition::gone;
  });
  run.thread("stopper", [&] { stop(host, count[1]); });
  run.join();
  require(count[0].all() + count[1].all() == 1, "not ended exactly once");
  if (restarted) require(count[0].taken_back == 0, "taken back after somebody else had restarted it");
}

// Two stop: the second returns when all is done, and sees it.
void twice(execution& run) {
  auto& host = run.make<engine>("engine");
  host.carved.store(1, detent::base::relaxed);
  host.only.publish(5, timer_state::queued, now);
  ends count[2];
  for (ends& each : count) {
    run.thread("stopper", [&] {
      stop(host, each);
      require(host.only.callable == 0, "stop() has returned before the timer ended");
    });
  }
  run.join();
  require(count[0].all() + count[1].all() == 1, "not ended exactly once");
}

// A callback that runs while stop() collects, and re-arms: stop() looks again when it has ended.
void against_rearm(execution& run) {
  auto& host = run.make<engine>("engine");
  host.carved.store(1, detent::base::relaxed);
  host.only.publish(5, timer_state::queued, now, state_word::periodic);
  std::uint64_t word = host.only.word();
  require(states::take_up(host.only.pair, generation) == states::take_up_result::armed, "not taken up");
  std::int64_t deadline = 0;
  require(start_if_due(host.only, now, word, deadline), "not started");
  auto& runs_ended = run.make<detent::base::atomic<std::uint32_t>>("runs_ended", 0u);
  int returned = 0;
  run.thread("pool", [&] {
    host.only.run();
    require(states::rearm(host.only.pair, word, timer_state::queued, after, 6) == states::transition::done, "lost");
    if ((word & state_word::waiter) == 0) return;
    runs_ended.fetch_add(1, detent::base::release);
    detent::base::futex_wake(runs_ended, INT32_MAX);
  });
  run.thread("stopper", [&] {
    for (;;) {
      collect_result found = states::collect(host.only.pair);
      returned += found == collect_result::returned;
      if (found != collect_result::firing) break;
      std::uint32_t ended = runs_ended.load(detent::base::acquire);
      std::uint64_t seen = states::observe(host.only.pair);
      if (states::mark_waiter(host.only.pair, seen)) detent::base::futex_wait(runs_ended, ended, INT64_MAX);
    }
    host.only.destroy_callable();
  });
  run.join();
  require(returned == 1, "a re-armed timer that did not come back");
}

const suite stop_suite(
    "Stop", {
                {"AgainstSchedule", against_schedule<false>, {.preemptions = 6}, {"taken back", "returned", "refused"}},
                {"AgainstScheduleWithALightFence",
                 against_schedule<true>,
                 {.preemptions = 5},
                 {"taken back", "returned", "refused"}},
                {"AgainstScheduleAndExpiry", against_schedule_and_expiry, {.preemptions = 2}},
                {"AgainstRestart", against_restart},
                {"Twice", twice, {.preemptions = 6}},
                {"AgainstRearm", against_rearm, {.preemptions = 6}},
            });

}  // namespace
}  // namespace model
