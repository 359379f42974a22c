// SPDX-License-Identifier: MIT
// Timer groups: no member of an earlier epoch starts or is forgotten, and the group is taken back once.
#include "groups.hpp"
#include "scenario.hpp"

namespace model {
namespace {

using detent::detail::group_roster;

// --- Runs

// By epoch: what its members' runs leave behind, plain.
struct stage {
  group_store store;
  group_state group;
  std::array<int, 3> touched{};

  stage() { group.add_reference(); }
  // As begin_in_group(), and the run. False: it has been cancelled.
  bool run_member(std::uint32_t epoch) {
    group_run run;
    if (!run.begin(group, epoch, store)) return false;
    ++touched[epoch];
    return true;
  }
  // A caller of cancel_all_and_wait() may use everything that the runs of the cancelled members touch.
  void cancel_and_wait(std::uint32_t epochs, const std::array<std::uint32_t, 2>& own = {}) {
    group.begin_epoch();
    group.wait_for_runs(own);
    for (std::uint32_t epoch = 0; epoch != epochs; ++epoch) touched[epoch] += 10;
  }
};

void cancel_against_start(execution& run) {
  auto& shared = run.make<stage>("group");
  bool ran = false;
  run.thread("driver", [&] { ran = shared.run_member(0); });
  run.thread("canceller", [&] { shared.cancel_and_wait(1); });
  run.join();
  reach(ran ? "ran" : "cancelled");
}

// cancel_all() alone, then cancel_all_and_wait(): it waits for what the first one left running, too.
void cancel_twice(execution& run) {
  auto& shared = run.make<stage>("group");
  bool ran[2] = {};
  run.thread("driver", [&] { ran[0] = shared.run_member(0); });
  run.thread("executor", [&] {
    if (shared.group.epoch() == 1) ran[1] = shared.run_member(1);
  });
  run.thread("canceller", [&] {
    shared.group.begin_epoch();
    shared.cancel_and_wait(2);
  });
  run.join();
  if (ran[0]) reach(ran[1] ? "both" : "the first");
  if (ran[1]) reach("the second");
}

// cancel_all_and_wait() waits for a run that schedules a member, as epoch_of_new_member() has it: that is cancelled.
void awaited_cancel_against_member(execution& run) {
  auto& shared = run.make<stage>("group");
  bool began = false, found_it_awaited = false;
  std::uint32_t of_next = 0;
  run.thread("driver", [&] {
    group_run mine;
    began = mine.begin(shared.group, 0, shared.store);
    if (!began) return;
    of_next = shared.group.epoch();
    found_it_awaited = shared.group.is_cancel_awaited() && shared.group.is_cancelled(0);
    if (found_it_awaited) --of_next;
  });
  run.thread("canceller", [&] {
    shared.group.begin_awaited_cancel();
    shared.group.wait_for_runs({});
    shared.group.end_awaited_cancel();
  });
  run.join();
  if (began) require(shared.group.is_cancelled(of_next), "its next run is left");
  reach(!began ? "cancelled" : found_it_awaited ? "awaited" : "before it");
}

// From inside of a member's run: it waits for the others.
void cancel_from_a_run(execution& run) {
  auto& shared = run.make<stage>("group");
  bool ran = false, cancelled = false;
  run.thread("driver", [&] { ran = shared.run_member(0); });
  run.thread("executor", [&] {
    group_run mine;
    cancelled = mine.begin(shared.group, 0, shared.store);
    if (cancelled) shared.cancel_and_wait(1, {1, 0});
  });
  run.join();
  require(cancelled, "cancelled by nobody");
  reach(ran ? "ran" : "cancelled");
}

void two_waiters(execution& run) {
  auto& shared = run.make<stage>("group");
  run.thread("driver", [&] { shared.run_member(0); });
  for (int i = 0; i != 2; ++i) run.thread("canceller", [&] { shared.cancel_and_wait(0); });
  run.join();
}

// --- The driver's attention

// Members of epochs 0 and 1, inserted. `told` says which of them are to be reclaimed.
struct filed_members {
  std::array<bool, 2> reported{}, reclaimed{};
  void sweep(group_state& group) {
    for (std::uint32_t epoch = 0; epoch != 2; ++epoch) reclaimed[epoch] = reclaimed[epoch] || group.is_cancelled(epoch);
  }
  void take(std::uint64_t) {}
  bool done() const { return (reclaimed[0] || !reported[0]) && (reclaimed[1] || !reported[1]); }
};

// Two cancels by one thread: the second may find the request of the first, on its way or being answered.
void two_cancels(execution& run) {
  auto& host = run.make<group_host>("engine");
  run.thread("driver", [&] {
    filed_members members{.reported = {true, true}};
    group_driver<filed_members>(host, members).drive();
  });
  run.thread("canceller", [&] {
    host.cancel_all(host.group);
    host.cancel_all(host.group);
  });
  run.join();
}

// By two threads: one of them has asked for both.
void two_cancellers(execution& run) {
  auto& host = run.make<group_host>("engine");
  run.thread("driver", [&] {
    filed_members members{.reported = {true, true}};
    group_driver<filed_members>(host, members).drive();
  });
  for (int i = 0; i != 2; ++i) run.thread("canceller", [&] { host.cancel_all(host.group); });
  run.join();
}

// Members of two groups, on one list.
struct members_of_two {
  group_host& host;
  std::array<bool, 2> reclaimed{};
  void sweep(group_state& group) {
    if (group.is_cancelled(0)) reclaimed[&group == &host.groups[0] ? 0 : 1] = true;
  }
  void take(std::uint64_t) {}
  bool done() const { return reclaimed[0] && reclaimed[1]; }
};

void two_groups(execution& run) {
  auto& host = run.make<group_host>("engine");
  run.thread("driver", [&] {
    members_of_two members{.host = host};
    group_driver<members_of_two>(host, members).drive();
  });
  for (group_state& each : host.groups) run.thread("canceller", [&] { host.cancel_all(each); });
  run.join();
}

// Submitted, and cancelled before the driver has filed it: it is found by the drain that a sweep owes.
struct submitted_member {
  group_host& host;
  bool filed = false, reclaimed = false;
  std::uint32_t epoch = 0;
  void sweep(group_state& group) { reclaimed = reclaimed || (filed && group.is_cancelled(epoch)); }
  void take(std::uint64_t entry) {  // enrol()
    filed = true;
    epoch = static_cast<std::uint32_t>(entry);
    if (host.group.is_cancelled(epoch)) host.store.request(host.group);
  }
  bool done() const { return reclaimed; }
};

void cancelled_before_filed(execution& run) {
  auto& host = run.make<group_host>("engine");
  run.thread("driver", [&] {
    submitted_member members{.host = host};
    group_driver<submitted_member>(host, members).drive();
  });
  run.thread("user", [&] {
    host.doors.submit(0, host.group.epoch(), 2 * wake_time);  // after the wake time: does not ring
    host.cancel_all(host.group);
  });
  run.join();
}

// --- References

// The member's: one that is armed, and how it ends, started or cancelled.
struct last_member : stage {
  timer member;

  last_member() {
    group.join();
    member.publish(0, timer_state::armed, 0);
  }
  void start_if_member() {
    group_run run;
    if (!run.begin(group, 0, store)) return;
    std::uint64_t word = states::observe(member.pair);
    if (state_word::state(word) != timer_state::armed ||
        states::start_armed(member.pair, word, 0) == states::transition::lost)
      return;
    require(!store.leave(group), "a small group asks for a look");
    groups_end::roster(group).forget();  // what only a holder of a reference may touch
    reach("started");
  }
  void cancel() {
    if (states::cancel(member.pair, 0, false) != states::cancel_transition::from_armed) return;
    require(!store.leave(group), "a small group asks for a look");
    reach("cancelled");
  }
  void end_group() {
    group.begin_epoch();
    group.wait_for_runs({});
    store.drop_reference(group);
  }
};

// A start against the last that know the group: it ends once, and no late one revives it.
void start_against_the_end(execution& run) {
  auto& shared = run.make<last_member>("group");
  run.thread("driver", [&] { shared.start_if_member(); });
  run.thread("canceller", [&] { shared.cancel(); });
  run.thread("owner", [&] { shared.end_group(); });
  run.join();
  if (shared.member.state() == timer_state::armed) shared.cancel();  // the sweep
  require(shared.group.epoch() == 2, "not taken back exactly once");
  require(!shared.group.hold(), "somebody has a reference still");
}

// The driver files a member that is being cancelled; with it goes the last reference, and the place is another group's
// at once, whose roster it finds in order.
void filed_against_the_end(execution& run) {
  auto& shared = run.make<last_member>("group");
  auto is_alive = [](const group_roster::entry&) { return true; };
  run.thread("driver", [&] {
    if (!shared.group.hold()) return reach("too late");
    groups_end::roster(shared.group).add({0, 0}, is_alive, groups_end(shared.store).rosters());
    require(groups_end::roster(shared.group).complete(), "a member that is in it is not");
    if (shared.group.is_cancelled(0)) shared.store.request(shared.group);
    shared.store.drop_reference(shared.group);
    reach("filed");
  });
  run.thread("canceller", [&] {
    shared.cancel();
    shared.end_group();
    if (shared.group.epoch() == 2) shared.group.add_reference();  // group_store::make()
  });
  run.join();
  require(shared.group.epoch() == 2 || groups_end(shared.store).is_asked(), "not taken back");
}

// Two groups end at once, and one of the two threads makes another: in the place of either, which is whole by then.
// Each place is given once.
void made_against_an_end(execution& run) {
  auto& host = run.make<group_host>("engine");
  run.thread("driver", [&] { host.store.drop_reference(host.groups[0]); });
  group_state* made = nullptr;
  run.thread("caller", [&] {
    host.store.drop_reference(host.groups[1]);
    made = &host.store.make();
    require(made->epoch() == 1, "not in its next life");
  });
  run.join();
  reach(made == &host.groups[0] ? "the other's" : "its own");
  require(&host.store.make() == &host.groups[made == &host.groups[0] ? 1 : 0], "lost, or given twice");
}

const suite groups(
    "Groups",
    {
        {"CancelAgainstStart", cancel_against_start, {.preemptions = 6, .surprises = 1}, {"ran", "cancelled"}},
        {"CancelTwice", cancel_twice, {.preemptions = 2}, {"both", "the first", "the second"}},
        {"AwaitedCancelAgainstItsMember",
         awaited_cancel_against_member,
         {.preemptions = 4},
         {"cancelled", "awaited", "before it"}},
        {"CancelFromARun", cancel_from_a_run, {.preemptions = 4}, {"ran", "cancelled"}},
        {"TwoWaiters", two_waiters, {.preemptions = 3}},
        {"TwoCancels", two_cancels, {.preemptions = 3}},
        {"TwoCancellers", two_cancellers, {.preemptions = 2}},
        {"TwoGroups", two_groups, {.preemptions = 2, .weak = {.stale = 2}}},
        {"CancelledBeforeItIsFiled", cancelled_before_filed, {.preemptions = 3}},
        {"StartAgainstTheEnd", start_against_the_end, {.preemptions = 3}, {"started", "cancelled"}},
        {"FiledAgainstTheEnd", filed_against_the_end, {.preemptions = 5}, {"too late", "filed"}},
        {"MadeAgainstAnEnd", made_against_an_end, {.preemptions = 3}, {"the other's", "its own"}},
    });

}  // namespace
}  // namespace model
