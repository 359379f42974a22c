// SPDX-License-Identifier: MIT
// A timer that was handed over: until its executor starts it, a cancel or a restart still wins, and then what the
// executor holds does nothing. And the reference that it holds on the core, which may be the last.
#include "scenario.hpp"
#include "submission.hpp"
#include "timers.hpp"

// Compiled against the explorer.
#include "counters/histogram_recorder.cpp"

namespace model {
namespace {

using states::cancel_transition;
using states::restart_transition;

constexpr std::int64_t now = 10;
constexpr std::uint32_t generation = 0;

constexpr std::uint32_t first_order = 5, first_count = 1;

struct core {
  timer handed;
  detent::base::atomic<std::uint32_t> references{1};

  void drop_reference(bool& destroyed) {
    if (references.fetch_sub(1, detent::base::acq_rel) != 1) return;
    destroyed = true;
    destroy(*this);
  }
};

// As the driver hands over: `count` is its count of hand-overs. False: not armed and due any more.
bool hand_over(timer& due, std::uint32_t count, std::uint64_t& word) {
  word = states::observe(due.pair);
  while (state_word::state(word) == timer_state::armed) {
    std::int64_t deadline = states::deadline_of(due.pair);
    if (deadline > now) return false;
    if (states::hand_over(due.pair, word, deadline, count) == states::transition::done) return true;
  }
  return false;
}

// True: it ran.
bool call(timer& handed, std::uint64_t word) {
  if (states::start_dispatched(handed.pair, word) == states::transition::lost) return false;
  handed.run();
  end_firing(handed, word);
  return true;
}

// True: it was dropped.
bool drop(timer& handed, std::uint64_t word) {
  if (states::drop(handed.pair, word) == states::transition::lost) return false;
  handed.destroy_callable();
  require(states::release(handed.pair), "used up");
  return true;
}

bool cancel(timer& target) {
  cancel_transition done = states::cancel(target.pair, generation, false);
  if (done == cancel_transition::gone || done == cancel_transition::marked_last) return false;
  target.destroy_callable();
  if (done == cancel_transition::from_armed) {
    states::mark_emptied(target.pair);
  } else {
    require(states::release(target.pair), "used up");
  }
  return true;
}

void cancel_against_call(execution& run) {
  auto& handed = run.make<timer>("timer");
  handed.publish(first_order, timer_state::armed, now);
  std::uint64_t word = 0;
  require(hand_over(handed, first_count, word), "not handed over");
  bool cancelled = false, ran = false;
  run.thread("executor", [&] { ran = call(handed, word); });
  run.thread("canceller", [&] {
    cancelled = cancel(handed);
    if (cancelled) handed.publish(6, timer_state::queued, now);  // used again at once
  });
  run.join();
  require(cancelled != ran, "not exactly one of run and cancelled");
  reach(ran ? "ran" : "cancelled");
}

// The driver hands over while somebody cancels: what reaches the executor's thread, through its queue, is sound.
void cancel_against_hand_over(execution& run) {
  auto& handed = run.make<timer>("timer");
  auto& queue = run.make<submission_stand_in<1, 1>>("executor's queue");
  handed.publish(first_order, timer_state::armed, now);
  bool cancelled = false, ran = false;
  run.thread("driver", [&] {
    std::uint64_t word = 0;
    if (hand_over(handed, first_count, word)) queue.push(0, word);
  });
  run.thread("executor", [&] { queue.take_all([&](std::uint64_t word) { ran = call(handed, word); }); });
  run.thread("canceller", [&] { cancelled = cancel(handed); });
  run.join();
  queue.take_all([&](std::uint64_t word) { ran = call(handed, word); });
  require(cancelled != ran, "not exactly one of run and cancelled");
  reach(ran ? "ran" : "cancelled");
}

// A restart takes it back to the queue, and the driver hands it over again: only the later fired_timer is good for
// anything. The restarter's order is that of the first hand-over, or of the first arming, as those of different threads
// may be. What becomes of the first fired_timer is up to `first_held`, which says whether it ended the timer.
template <class F>
void restart_while_held(execution& run, std::uint32_t order, F first_held) {
  auto& handed = run.make<timer>("timer");
  auto& queue = run.make<submission_stand_in<1, 1>>("queue");
  auto& executor_queue = run.make<submission_stand_in<1, 1>>("executor's queue");
  handed.publish(first_order, timer_state::armed, now);
  // Once before, so that the mark of a restart does not distinguish the hand-overs.
  require(states::restart(handed.pair, generation, now, first_order) == restart_transition::later, "not restarted");
  std::uint64_t first = 0;
  require(hand_over(handed, first_count, first), "not handed over");
  auto take_up = [&](std::uint64_t entry) {
    std::uint64_t word = 0;
    if (states::take_up(handed.pair, static_cast<std::uint32_t>(entry)) == states::take_up_result::armed &&
        hand_over(handed, first_count + 1, word))
      executor_queue.push(0, word);
  };
  bool ended = false, restarted = false;
  run.thread("executor", [&] { ended = first_held(handed, first); });
  run.thread("restarter", [&] {
    restart_transition done = states::restart(handed.pair, generation, now, order);
    restarted = done != restart_transition::gone;
    if (!restarted) return;
    require(done == restart_transition::earlier, "nothing names it any more, and nobody is told");
    queue.push(0, generation);
  });
  run.thread("driver", [&] { queue.take_all(take_up); });
  run.join();
  queue.take_all(take_up);
  bool ran = false;
  executor_queue.take_all([&](std::uint64_t word) { ran = call(handed, word); });
  reach(restarted ? "restarted" : "too late");
  require(ran == restarted, restarted ? "restarted, and never run" : "run without a restart");
  require(ended != restarted, "what was handed over first ended a timer that was restarted, or did not end its own");
}

void restart_against_call(execution& run) { restart_while_held(run, first_count, call); }
void restart_against_drop(execution& run) { restart_while_held(run, first_order, drop); }

// Let go uncalled while somebody cancels it.
void drop_against_cancel(execution& run) {
  auto& handed = run.make<timer>("timer");
  handed.publish(first_order, timer_state::armed, now);
  std::uint64_t word = 0;
  require(hand_over(handed, first_count, word), "not handed over");
  bool cancelled = false, dropped = false;
  run.thread("executor", [&] { dropped = drop(handed, word); });
  run.thread("canceller", [&] { cancelled = cancel(handed); });
  run.join();
  reach(dropped ? "dropped" : "cancelled");
  require(cancelled != dropped, "not exactly one of dropped and cancelled");
  require(handed.state() == timer_state::free, "not freed");
}

// The engine ends while an executor still holds a timer: the last one frees the core.
void outliving_the_engine(execution& run) {
  auto& host = create<core>("core");
  host.handed.publish(first_order, timer_state::armed, now);
  std::uint64_t word = 0;
  require(hand_over(host.handed, first_count, word), "not handed over");
  host.references.fetch_add(1, detent::base::relaxed);
  bool ran = false, returned = false, destroyed[2] = {};
  run.thread("executor", [&] {
    ran = call(host.handed, word);
    host.drop_reference(destroyed[0]);
  });
  run.thread("engine", [&] {
    states::collect_result found = states::collect(host.handed.pair);
    returned = found == states::collect_result::returned;
    if (returned) host.handed.destroy_callable();
    host.drop_reference(destroyed[1]);
  });
  run.join();
  reach(destroyed[0] ? "destroyed by the executor" : "destroyed by the engine");
  require(ran != returned, "not exactly one of run and returned");
  require(destroyed[0] != destroyed[1], "not destroyed exactly once");
}

// The threads of an executor record in one histogram how late they were.
void two_recorders(execution& run) {
  using detent::detail::histogram_recorder;
  auto& late = run.make<histogram_recorder>("histogram");
  for (const std::int64_t mine : {3, 9}) {
    run.thread("executor", [&late, mine] { late.record(mine, false); });
  }
  run.join();
  const detent::histogram reported = late.snapshot();
  require(reported.count() == 2 && reported.mean() == detent::duration(6), "a run was lost");
  require(reported.max() == detent::duration(9), "the latest was lost");
}

const suite executor("Executor",
                     {
                         {"CancelAgainstCall", cancel_against_call, {.preemptions = 8}, {"ran", "cancelled"}},
                         {"CancelAgainstHandOver", cancel_against_hand_over, {.preemptions = 5}, {"ran", "cancelled"}},
                         {"RestartAgainstCall", restart_against_call, {.preemptions = 5}, {"restarted", "too late"}},
                         {"RestartAgainstDrop", restart_against_drop, {.preemptions = 5}, {"restarted", "too late"}},
                         {"DropAgainstCancel", drop_against_cancel, {.preemptions = 8}, {"dropped", "cancelled"}},
                         {"TwoRecorders", two_recorders, {.preemptions = 4, .steps = 20'000}},
                         {"OutlivingTheEngine",
                          outliving_the_engine,
                          {.preemptions = 8},
                          {"destroyed by the executor", "destroyed by the engine"}},
                     });

}  // namespace
}  // namespace model
