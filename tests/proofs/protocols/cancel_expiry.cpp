// SPDX-License-Identifier: MIT
// Cancel against expiry: exactly one wins; the loser touches nothing; a node is used again only when everybody is done
// with it.
#include "scenario.hpp"
#include "timer/run_waiters.hpp"
#include "timers.hpp"

namespace model {
namespace {

using states::cancel_transition;

constexpr std::int64_t now = 10;
constexpr std::uint32_t generation = 0;

enum class cancelled { no, left_to_driver, freed };

// A canceller as the engine has it, of a timer with a callable to destroy.
cancelled cancel(timer& target) {
  cancel_transition done = states::cancel(target.pair, generation, false);
  if (done == cancel_transition::gone || done == cancel_transition::marked_last) return cancelled::no;
  target.destroy_callable();
  if (done == cancel_transition::from_armed) {
    states::mark_emptied(target.pair);
    return cancelled::left_to_driver;
  }
  require(states::release(target.pair), "used up");
  return cancelled::freed;
}

// The driver when an armed timer's turn comes: fires it, or frees it if its canceller is done, and uses it again.
struct outcome_of_turn {
  bool fired = false, reused = false;
};
outcome_of_turn take_turn(timer& due) {
  outcome_of_turn turn;
  std::uint64_t word = 0;
  std::int64_t deadline = 0;
  turn.fired = start_if_due(due, now, word, deadline);
  if (turn.fired) {
    due.run();
    end_firing(due, word);
  } else if (state_word::state(word) != timer_state::cancelled || (word & state_word::emptied) == 0) {
    return turn;
  } else {
    require(states::release(due.pair), "used up");
  }
  turn.reused = true;
  due.publish(6, timer_state::armed, now);
  return turn;
}

template <std::size_t Cancellers>
void armed(execution& run) {
  auto& due = run.make<timer>("timer");
  due.publish(5, timer_state::armed, now);
  bool won[Cancellers] = {};
  outcome_of_turn turn;
  run.thread("driver", [&] { turn = take_turn(due); });
  for (std::size_t i = 0; i != Cancellers; ++i) {
    run.thread("canceller", [&, i] { won[i] = cancel(due) != cancelled::no; });
  }
  run.join();
  int winners = turn.fired;
  for (bool each : won) winners += each;
  require(winners == 1, "not exactly one of fired and cancelled");
  reach(turn.fired ? "fired" : turn.reused ? "cancelled and reused" : "cancelled");
  require(state_word::generation(due.word()) == (turn.reused ? 1 : 0), "a life too many, or too few");
}

// And a restart to later: whichever comes last of the two, the driver does not fire it at the old deadline.
void armed_and_restarted(execution& run) {
  auto& due = run.make<timer>("timer");
  due.publish(5, timer_state::armed, now);
  bool won = false, restarted = false;
  outcome_of_turn turn;
  run.thread("driver", [&] { turn = take_turn(due); });
  run.thread("canceller", [&] { won = cancel(due) != cancelled::no; });
  run.thread("restarter", [&] {
    restarted = states::restart(due.pair, generation, 10 * now, 5) != states::restart_transition::gone;
  });
  run.join();
  require(!(won && turn.fired), "fired and cancelled");
  require(!(restarted && turn.fired), "restarted to later, and fired all the same");
  if (won || turn.fired) return;
  require(restarted && due.state() == timer_state::armed && due.deadline() == 10 * now, "a timer was lost");
}

// A timer with nothing to destroy goes from queued to free in one step; its node is used again at once, while its entry
// is still in the queue.
void queued_plain(execution& run) {
  auto& due = run.make<timer>("timer");
  states::publish_as(due.pair, state_word::make(generation, 5, timer_state::queued, 0), now);
  bool won = false, fired[2] = {};
  run.thread("canceller", [&] {
    won = states::cancel_plain(due.pair, state_word::queued_half(generation));
    if (won) due.publish(6, timer_state::queued, now);
  });
  run.thread("driver", [&] {
    for (std::uint32_t life : {0u, 1u}) {
      if (states::take_up(due.pair, life) != states::take_up_result::armed) continue;
      std::uint64_t word = 0;
      std::int64_t deadline = 0;
      fired[life] = start_if_due(due, now, word, deadline);
      if (!fired[life]) continue;
      require(state_word::generation(word) == life, "the wrong life of the node fired");
      if (life == 1) due.run();
    }
  });
  run.join();
  require(!(won && fired[0]), "fired and cancelled");
  if (fired[0]) reach("fired");
  if (fired[1]) reach("cancelled, and the next life fired");
}

// Queued, with a callable: the canceller destroys it and uses the node again.
void queued_owning(execution& run) {
  auto& due = run.make<timer>("timer");
  due.publish(5, timer_state::queued, now);
  cancelled ended = cancelled::no;
  bool fired = false;
  run.thread("canceller", [&] {
    ended = cancel(due);
    if (ended == cancelled::freed) due.publish(6, timer_state::queued, now);
  });
  run.thread("driver", [&] {
    if (states::take_up(due.pair, generation) != states::take_up_result::armed) return;
    fired = take_turn(due).fired;
  });
  run.join();
  require(fired == (ended == cancelled::no), "not exactly one of fired and cancelled");
  reach(fired ? "fired" : ended == cancelled::freed ? "freed by its canceller" : "left to the driver");
}

// While it runs: the cancel makes it the last run, whatever the callback arms. `last_run` counts the runs.
void running(execution& run) {
  auto& due = run.make<timer>("timer");
  due.publish(5, timer_state::armed, now, state_word::periodic);
  cancel_transition done = cancel_transition::gone;
  int runs = 0, runs_when_cancelled = 0;
  auto& runs_seen = run.make<atomic<int>>("runs", 0);
  run.thread("driver", [&] {
    for (std::uint32_t order = 6; order != 8; ++order) {
      std::uint64_t word = 0;
      std::int64_t deadline = 0;
      if (!start_if_due(due, now, word, deadline)) return;
      due.run();
      runs_seen.store(++runs, detent::base::relaxed);
      if (states::rearm(due.pair, word, timer_state::armed, now, order) == states::transition::done) continue;
      end_firing(due, word);
      return;
    }
  });
  run.thread("canceller", [&] {
    done = states::cancel(due.pair, generation, false);
    if (done == cancel_transition::marked_last) runs_when_cancelled = runs_seen.load(detent::base::relaxed);
    if (done == cancel_transition::from_armed) due.destroy_callable();
  });
  run.join();
  if (done == cancel_transition::marked_last) {
    reach("cancelled while it ran");
    require(due.state() == timer_state::free, "cancelled while running, and armed again");
    require(runs - runs_when_cancelled <= 1, "cancelled while running, and ran again");
  }
  if (done == cancel_transition::from_armed) require(due.state() == timer_state::cancelled, "cancelled and armed");
}

// cancel_and_wait(), by that many threads: when it returns, the run has ended and what the callback did is there to be
// seen.
template <int Cancellers>
void wait_for_end(execution& run) {
  auto& due = run.make<timer>("timer");
  auto& runs = run.make<detent::detail::run_waiters>("runs");
  auto& result = run.make<int>("result", 0);
  due.publish(5, timer_state::armed, now);
  run.thread("driver", [&] {
    std::uint64_t word = 0;
    std::int64_t deadline = 0;
    if (!start_if_due(due, now, word, deadline)) return;
    due.run();
    result = 1;
    if (!end_firing(due, word)) return;
    reach("waited for");
    runs.notify();
  });
  for (int i = 0; i < Cancellers; ++i) {
    run.thread("canceller", [&] {
      cancel_transition done = states::cancel(due.pair, generation, true);
      if (done == cancel_transition::from_armed) {
        due.destroy_callable();
        return states::mark_emptied(due.pair);
      }
      if (done == cancel_transition::gone) return;
      runs.wait(due.pair, generation);
      require(result == 1, "the run had not ended");
    });
  }
  run.join();
}

// Who waits without having marked the run before, as stop() does, may mark the node's next life instead; it returns all
// the same, and not when that has run, which here is never before.
void wait_beside_the_next_life(execution& run) {
  auto& due = run.make<timer>("timer");
  auto& runs = run.make<detent::detail::run_waiters>("runs");
  auto& returned = run.make<atomic<std::uint32_t>>("returned", 0U);
  std::uint64_t word = 0;
  std::int64_t deadline = 0;
  due.publish(5, timer_state::armed, now);
  require(start_if_due(due, now, word, deadline), "not started");
  run.thread("driver", [&] {
    due.run();
    if (end_firing(due, word)) runs.notify();
    due.publish(6, timer_state::armed, now);
    require(start_if_due(due, now, word, deadline), "not started again");
    due.run();
    while (returned.load(detent::base::acquire) == 0) detent::base::futex_wait(returned, 0, detent::detail::forever);
    if (!end_firing(due, word)) return;
    reach("the next life is marked");
    runs.notify();
  });
  run.thread("waiter", [&] {
    runs.wait(due.pair, generation);
    returned.store(1, detent::base::release);
    detent::base::futex_wake(returned, 1);
  });
  run.join();
}

const suite cancel_expiry(
    "CancelAgainstExpiry",
    {
        {"Armed", armed<1>, {.preemptions = 8}, {"fired", "cancelled", "cancelled and reused"}},
        {"ArmedTwice", armed<2>, {.preemptions = 4}},
        {"ArmedAndRestarted", armed_and_restarted, {.preemptions = 4}},
        {"QueuedWithNothingToDestroy",
         queued_plain,
         {.preemptions = 8},
         {"fired", "cancelled, and the next life fired"}},
        {"Queued", queued_owning, {.preemptions = 8}, {"fired", "freed by its canceller", "left to the driver"}},
        {"Running", running, {.preemptions = 5}, {"cancelled while it ran"}},
        {"AndWait", wait_for_end<1>, {.preemptions = 5, .surprises = 1}, {"waited for"}},
        {"TwoWait", wait_for_end<2>, {.preemptions = 2}, {"waited for"}},
        {"AndWaitBesideTheNextLife", wait_beside_the_next_life, {}, {"the next life is marked"}},
    });

}  // namespace
}  // namespace model
