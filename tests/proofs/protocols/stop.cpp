// SPDX-License-Identifier: MIT
// stop() against threads that still schedule, restart or run: every timer ends exactly once, and is not forgotten.
#include "scenario.hpp"
#include "submission.hpp"
#include "submission/submit.hpp"
#include "threads/lifecycle.hpp"
#include "timer/run_waiters.hpp"
#include "timers.hpp"

#include "submission/doorbell.hpp"

#include <bit>

namespace model {
namespace {

using detent::detail::lifecycle;
using states::collect_result;

constexpr std::int64_t now = 10, after = 100;
constexpr std::uint32_t generation = 0;

struct engine {
  detent::detail::doorbell bell;
  submission_stand_in<1, 2> queue;
  detent::detail::rescan_request rescan;
  lifecycle life;
  detent::base::atomic<std::uint32_t> carved{0};  // nodes that stop() scans
  timer only;
};

// Ids of threads that may drive.
const std::thread::id driver_id = std::bit_cast<std::thread::id>(std::uint64_t{1});
const std::thread::id other_id = std::bit_cast<std::thread::id>(std::uint64_t{2});

// Each end of a timer is counted; there is to be one.
struct ends {
  int fired = 0, returned = 0, taken_back = 0;
  int all() const { return fired + returned + taken_back; }
};

// As publish: true if the caller gets a handle.
bool schedule(engine& host, ends& count) {
  if (!host.life.is_open()) return false;
  host.carved.fetch_add(1, detent::base::release);
  host.only.publish(5, timer_state::queued, now);
  std::uint64_t word = host.only.word();
  host.queue.push(0, generation);
  if (detent::detail::has_to_ring(host.bell, host.rescan, now, true, [] { return false; })) host.bell.ring();
  if (!host.life.is_open() && states::collect(host.only.pair, word) == collect_result::returned) {
    host.only.destroy_callable();
    ++count.taken_back;
    return false;
  }
  return true;
}

void stop(engine& host, ends& count) {
  if (!host.life.begin_stop()) return;
  host.bell.fence_stop();
  host.life.wait_for_drive();
  if (host.carved.load(detent::base::acquire) != 0 && states::collect(host.only.pair) == collect_result::returned) {
    host.only.destroy_callable();
    ++count.returned;
  }
  host.life.finish_stop();
}

// The producer does not see the stop, or the stop does not see its timer: not both. `Asymmetric`: the producer's fence
// is a light one; `Refused`: and the stop has none that is heavy.
template <bool Asymmetric, bool Refused = false>
void against_schedule(execution& run) {
  auto& host = run.make<engine>("engine");
  host.bell.allow_asymmetric(Asymmetric);
  if (Asymmetric) host.bell.begin_asymmetric();
  if (Refused) refuse_heavy_fences();
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

// A driver fires meanwhile, and stop() waits for it: nothing that it has accepted is taken back. `Closed`: by close(),
// too, which waits for no driver.
template <bool Closed>
void against_schedule_and_expiry(execution& run) {
  auto& host = run.make<engine>("engine");
  ends count[3];
  bool handle = false;
  run.thread("producer", [&] { handle = schedule(host, count[0]); });
  run.thread("driver", [&] {
    const lifecycle::entry entered = host.life.enter_drive(driver_id);
    require(entered != lifecycle::entry::refused, "somebody else drives");
    if (entered == lifecycle::entry::stopped) return host.life.leave_drive();
    host.queue.take_all([&](std::uint64_t entry) {
      std::uint64_t word = 0;
      std::int64_t deadline = 0;
      if (states::take_up(host.only.pair, static_cast<std::uint32_t>(entry)) != states::take_up_result::armed) return;
      require(state_word::state(host.only.word()) == timer_state::armed, "taken back from the driver");
      if (!start_if_due(host.only, now, word, deadline)) return;
      host.only.run();
      end_firing(host.only, word);
      ++count[2].fired;
    });
    host.life.leave_drive();
  });
  run.thread("stopper", [&] {
    if (Closed) host.life.close();
    stop(host, count[1]);
  });
  run.join();
  int all = count[0].all() + count[1].all() + count[2].all();
  require(all <= 1, "one timer ended twice");
  if (handle) require(all == 1, "a timer that neither fired nor came back");
}

// Two poll: the wheel is one thread's at a time. Neither turns it any more once the stop has waited.
void against_polls(execution& run) {
  auto& host = run.make<engine>("engine");
  auto& turns = run.make<int>("wheel", 0);
  int turned = 0;
  for (const std::thread::id mine : {driver_id, other_id}) {
    run.thread("driver", [&, mine] {
      const lifecycle::entry entered = host.life.enter_drive(mine);
      if (entered == lifecycle::entry::refused) {
        require(!host.life.is_driven_by(mine), "refused, as it is inside");
        return reach("refused");
      }
      require(host.life.is_driven_by(mine), "inside, and not known");
      if (entered == lifecycle::entry::open) {
        ++turns;
        reach("turned");
      } else {
        reach("stopped");
      }
      host.life.leave_drive();
    });
  }
  run.thread("stopper", [&] {
    require(host.life.begin_stop(), "stopped by nobody");
    host.life.wait_for_drive();
    turned = ++turns;
    host.life.finish_stop();
  });
  run.join();
  require(turns == turned, "turned after the stop");
}

// A caller that has waited for the drive frees the engine at once: the thread that leaves touches it no more.
void frees_all_behind_a_drive(execution& run) {
  auto& host = create<engine>("engine");
  require(host.life.enter_drive(driver_id) == lifecycle::entry::open, "not inside");
  run.thread("driver", [&] { host.life.leave_drive(); });
  run.thread("stopper", [&] {
    require(host.life.begin_stop(), "stopped by nobody");
    host.life.wait_for_drive();
    destroy(host);
  });
  run.join();
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
    if (!host.life.is_open() && states::collect(host.only.pair, word) == collect_result::returned) {
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

// A callback that runs while stop() collects, and re-arms: stop() scans again when it has ended.
void against_rearm(execution& run) {
  auto& host = run.make<engine>("engine");
  host.carved.store(1, detent::base::relaxed);
  host.only.publish(5, timer_state::queued, now, state_word::periodic);
  std::uint64_t word = host.only.word();
  require(states::take_up(host.only.pair, generation) == states::take_up_result::armed, "not taken up");
  std::int64_t deadline = 0;
  require(start_if_due(host.only, now, word, deadline), "not started");
  auto& runs = run.make<detent::detail::run_waiters>("runs");
  int returned = 0;
  run.thread("pool", [&] {
    host.only.run();
    require(states::rearm(host.only.pair, word, timer_state::queued, after, 6) == states::transition::done, "lost");
    if ((word & state_word::waiter) != 0) runs.notify();
  });
  run.thread("stopper", [&] {
    for (;;) {
      collect_result found = states::collect(host.only.pair);
      returned += found == collect_result::returned;
      if (found != collect_result::firing) break;
      runs.wait(host.only.pair, generation);
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
                {"AgainstScheduleWithoutAHeavyFence",
                 against_schedule<true, true>,
                 {.preemptions = 5},
                 {"taken back", "returned", "refused"}},
                {"AgainstScheduleAndExpiry", against_schedule_and_expiry<false>, {.preemptions = 2}},
                {"AgainstCloseAndExpiry", against_schedule_and_expiry<true>, {.preemptions = 2}},
                {"AgainstPolls", against_polls, {}, {"refused", "turned", "stopped"}},
                {"FreesAllBehindADrive", frees_all_behind_a_drive, {.preemptions = 8, .surprises = 1}},
                {"AgainstRestart", against_restart},
                {"Twice", twice, {.preemptions = 6}},
                {"AgainstRearm", against_rearm, {.preemptions = 6}},
            });

}  // namespace
}  // namespace model
