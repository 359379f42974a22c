// SPDX-License-Identifier: MIT
// Restart against expiry: a timer fires at the deadline that was committed last, and nobody who moved it to an earlier
// one is forgotten.
#include "drive.hpp"
#include "scenario.hpp"
#include "timers.hpp"

namespace model {
namespace {

using states::restart_transition;

constexpr std::int64_t now = 10, before = 8, after = 100, long_after = 200;
constexpr std::uint32_t generation = 0, order_of_arming = 5;

// The driver finds the timer due while others restart it. Their orders coincide with the first arming's and with each
// other's, as those of different threads may, so that the word alone shows nothing.
template <std::size_t Restarters>
void against_expiry(execution& run, const std::int64_t (&to)[Restarters]) {
  auto& moved = run.make<timer>("timer");
  moved.publish(order_of_arming, timer_state::armed, now);
  bool fired = false, restarted[Restarters] = {};
  std::int64_t fired_at = 0;
  run.thread("driver", [&] {
    std::uint64_t word = 0;
    fired = start_if_due(moved, now, word, fired_at);
    if (fired) moved.run();
  });
  for (std::size_t i = 0; i != Restarters; ++i) {
    run.thread("restarter", [&, i] {
      restarted[i] = states::restart(moved.pair, generation, to[i], order_of_arming) != restart_transition::gone;
    });
  }
  run.join();
  require(fired == (moved.state() == timer_state::firing), "the word does not tell what happened");
  if (fired) require(moved.deadline() == fired_at && fired_at <= now, "fired at a deadline that is not the last");
  if (!fired) require(moved.deadline() > now || (moved.word() & state_word::unfiled) != 0, "due, and nobody knows");
  for (std::size_t i = 0; i != Restarters; ++i) {
    if (!fired) require(restarted[i], "a restart of a pending timer failed");
  }
  if (fired) reach("fired");
  if (restarted[0]) reach("restarted");
  if (Restarters == 1 && to[0] > now) require(fired != restarted[0], "restarted to later, and fired all the same");
}

void later_against_expiry(execution& run) { against_expiry<1>(run, {after}); }
void earlier_against_expiry(execution& run) { against_expiry<1>(run, {before}); }
void two_later_against_expiry(execution& run) { against_expiry<2>(run, {after, long_after}); }
void both_ways_against_expiry(execution& run) { against_expiry<2>(run, {after, before}); }

// The one-exchange restart, which gives way to the other where anything is out of the ordinary.
void touch_against_expiry(execution& run) {
  auto& moved = run.make<timer>("timer");
  moved.publish(order_of_arming, timer_state::armed, now);
  bool fired = false, touched = false;
  std::int64_t fired_at = 0;
  run.thread("driver", [&] {
    std::uint64_t word = 0;
    fired = start_if_due(moved, now, word, fired_at);
  });
  run.thread("restarter", [&] {
    touched = states::restart_later(moved.pair, state_word::queued_half(generation), after, order_of_arming, [] {});
  });
  run.thread("other", [&] { static_cast<void>(states::restart(moved.pair, generation, long_after, order_of_arming)); });
  run.join();
  if (fired) require(moved.deadline() == fired_at && fired_at <= now, "fired at a deadline that is not the last");
  if (touched) require(!fired, "restarted to later, and fired all the same");
  if (fired) reach("fired");
  if (touched) reach("touched");
}

// A handle that is too old: its node has been freed and serves another timer.
void stranger(execution& run) {
  auto& reused = run.make<timer>("timer");
  reused.publish(order_of_arming, timer_state::queued, now);
  bool restarted = false;
  run.thread("owner", [&] {
    if (states::cancel(reused.pair, generation, false) == states::cancel_transition::gone) return;
    reused.destroy_callable();
    require(states::release(reused.pair), "used up");
    reused.publish(order_of_arming, timer_state::armed, after);
  });
  run.thread("late", [&] {
    restarted = states::restart(reused.pair, generation, before, order_of_arming) != restart_transition::gone;
  });
  run.join();
  require(state_word::generation(reused.word()) == generation + 1, "the first life did not end");
  require(reused.deadline() == after, "a stale handle moved a stranger's deadline");
  reach(restarted ? "before the cancel" : "too late");
}

// --- With the driver asleep ---

// Where the wheel has the timer. A lazy restart leaves it where it is: never behind its deadline.
struct wheel : no_groups {
  wheel(timer& of, std::int64_t at) : moved(of), filed(at) {}
  timer& moved;
  std::int64_t filed;

  void take(std::uint64_t entry) {
    states::take_up_result found = states::take_up(moved.pair, static_cast<std::uint32_t>(entry));
    if (found == states::take_up_result::armed || found == states::take_up_result::moved)
      filed = states::deadline_of(moved.pair);
  }
  std::int64_t next() const { return filed; }
  void rescan() {}
};

// One restarter moves the timer and is never heard of again; another moves it less far forward, and that must count.
void stalled_restarter(execution& run) {
  auto& shared = run.make<front<1>>("front");
  auto& moved = run.make<timer>("timer");
  moved.publish(order_of_arming, timer_state::armed, after);
  shared.bell.raise(after);
  run.thread("driver", [&] {
    wheel turned{moved, after};
    driver(shared, turned, before).drive_until(now);
  });
  run.thread("stalled", [&] { static_cast<void>(states::restart(moved.pair, generation, before, 6)); });
  run.thread("restarter", [&] {
    if (states::restart(moved.pair, generation, now, 7) == restart_transition::earlier)
      shared.submit(0, generation, now);
  });
  run.join();
}

// Published by one thread, restarted by two, taken up meanwhile: when all entries have been taken up, the wheel has it
// at its deadline or before.
void taken_up_meanwhile(execution& run) {
  auto& queue = run.make<submission_stand_in<3, 1>>("queue");
  auto& moved = run.make<timer>("timer");
  moved.publish(order_of_arming, timer_state::queued, after);
  queue.push(0, generation);
  wheel turned{moved, INT64_MAX};
  auto drain = [&] { queue.take_all([&](std::uint64_t entry) { turned.take(entry); }); };
  run.thread("driver", [&] {
    drain();
    drain();
  });
  const std::int64_t to[] = {now, long_after};
  for (std::uint32_t i = 0; i != 2; ++i) {
    run.thread("restarter", [&, i] {
      if (states::restart(moved.pair, generation, to[i], 6 + i) == restart_transition::earlier)
        queue.push(1 + i, generation);
    });
  }
  run.join();
  drain();
  require(moved.state() == timer_state::armed, "an entry was lost");
  require(turned.filed <= moved.deadline(), "filed behind its deadline: it would fire late");
  require((moved.word() & state_word::unfiled) == 0, "an earlier restart was not filed");
}

const suite restart_expiry("RestartAgainstExpiry",
                           {
                               {"Later", later_against_expiry, {.preemptions = 8}, {"fired", "restarted"}},
                               {"Earlier", earlier_against_expiry, {.preemptions = 8}, {"fired", "restarted"}},
                               {"TwoLater", two_later_against_expiry, {.preemptions = 4}, {"fired", "restarted"}},
                               {"BothWays", both_ways_against_expiry, {.preemptions = 4}},
                               {"Touch", touch_against_expiry, {.preemptions = 4}, {"fired", "touched"}},
                               {"AStrangersTimer", stranger, {.preemptions = 8}, {"before the cancel", "too late"}},
                               {"ARestarterThatStalls", stalled_restarter},
                               {"TakenUpMeanwhile", taken_up_meanwhile, {.preemptions = 2}},
                           });

}  // namespace
}  // namespace model
