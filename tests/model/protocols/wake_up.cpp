// SPDX-License-Identifier: MIT
// The doorbell: nobody's timer is slept through.
#include "drive.hpp"
#include "scenario.hpp"

#include <array>

namespace model {
namespace {

// The wake time told before, which has come; what is submitted; what the driver waits for otherwise.
constexpr nanoseconds_t soon = 3, earliest = 40, early = 50, late = 100;

// Entries are deadlines.
struct deadlines {
  nanoseconds_t known = late;

  void take(std::uint64_t entry) { known = std::min(known, static_cast<nanoseconds_t>(entry)); }
  nanoseconds_t next() const { return known; }
  void rescan() {}
};

template <std::uint32_t Producers>
void submit(front<Producers>& shared, std::uint32_t producer, nanoseconds_t deadline) {
  shared.submit(producer, static_cast<std::uint64_t>(deadline), deadline);
}

template <std::uint32_t Producers>
void drive(front<Producers>& shared, nanoseconds_t now = soon) {
  deadlines wheel;
  driver(shared, wheel, now).drive_until(earliest);
}

template <std::uint32_t Producers, bool Asymmetric>
front<Producers>& make_front(execution& run) {
  auto& shared = run.make<front<Producers>>("front");
  shared.bell.allow_asymmetric(Asymmetric);
  if (Asymmetric) shared.bell.begin_asymmetric();
  shared.bell.raise(soon);
  return shared;
}

// The driver raises its wake time while others push what is earlier than the new one, and later than the old.
template <std::uint32_t Producers, bool Asymmetric>
void raise_against_push(execution& run) {
  auto& shared = make_front<Producers, Asymmetric>(run);
  run.thread("driver", [&] { drive(shared); });
  for (std::uint32_t i = 0; i != Producers; ++i) {
    run.thread("producer", [&shared, i] { submit(shared, i, i == 0 ? earliest : early); });
  }
  run.join();
}

// One producer, two entries, the second under a bell that may have been rung for the first.
template <bool Asymmetric>
void two_pushes(execution& run) {
  auto& shared = make_front<1, Asymmetric>(run);
  run.thread("driver", [&] { drive(shared); });
  run.thread("producer", [&] {
    submit(shared, 0, early);
    submit(shared, 0, earliest);
  });
  run.join();
}

// The wake time has been told long ago and stays: only rings say that there is something to take up. One of two rings
// asks for nothing: it is for the backlog.
template <bool Asymmetric, bool Backlog>
void rings_alone(execution& run) {
  auto& shared = make_front<2, Asymmetric>(run);
  shared.bell.raise(late);
  run.thread("driver", [&] { drive(shared); });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.thread("other", [&] { Backlog ? shared.ring() : submit(shared, 1, early); });
  run.join();
}

// Two rings, and the mark of the earlier deadline stands for both: neither entry is left behind. Both have been
// cancelled, so that the wheel learns no deadline from them.
struct all_entries {
  unsigned wanted, taken = 0;

  void take(std::uint64_t) { ++taken; }
  nanoseconds_t next() const { return taken == wanted ? earliest : late; }
  void rescan() {}
};

template <bool Asymmetric>
void one_mark_for_two(execution& run) {
  auto& shared = make_front<2, Asymmetric>(run);
  shared.bell.raise(late);
  run.thread("driver", [&] {
    all_entries wheel{2};
    driver self(shared, wheel, soon);
    self.drive_until(earliest);
    require(self.now() <= early, "looked at when its time had passed");
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.thread("other", [&] { submit(shared, 1, early); });
  run.join();
}

// The time told is not far: the driver keeps it, and whoever is earlier still rings.
void kept_wake_time(execution& run) {
  auto& shared = make_front<2, false>(run);
  shared.bell.raise(early);
  run.thread("driver", [&] {
    deadlines wheel;
    driver self(shared, wheel, soon, {.keeps_beyond = early - soon - 1});
    self.drive_until(earliest);
    require(self.now() < early, "an earlier one that did not ring, or was not heard");
    reach("rung for");
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.thread("other", [&] { submit(shared, 1, early + 1); });
  run.join();
}

// It comes, and what was pushed without a ring meanwhile is found then.
void kept_wake_time_comes(execution& run) {
  auto& shared = make_front<1, false>(run);
  shared.bell.raise(early);
  run.thread("driver", [&] {
    deadlines wheel;
    driver self(shared, wheel, soon, {.keeps_beyond = early - soon - 1});
    self.drive_until(late - 1);
    require(self.now() <= early, "not looked for at the time that was told");
  });
  run.thread("producer", [&] { submit(shared, 0, late - 1); });
  run.join();
}

// Rung for something that is far, the driver looks shortly before it only, unless it waits for something else that is
// further away still, and does not keep that time; what comes meanwhile is in time.
template <bool Keeps>
void left_for_later(execution& run) {
  constexpr nanoseconds_t ahead = 5;
  auto& shared = make_front<2, false>(run);
  shared.bell.raise(late);
  run.thread("driver", [&] {
    all_entries wheel{2};
    driver self(shared, wheel, soon,
                {.keeps_beyond = Keeps ? 20 : INT64_MAX, .leaves_beyond = earliest - soon, .looks_ahead = ahead});
    self.drive_until(earliest);
    require(self.now() <= early - ahead, "looked at too late");
    if (self.now() == early - ahead) reach("left");
    if (self.now() == soon) reach("not left");
  });
  run.thread("far", [&] { submit(shared, 0, early); });
  run.thread("near", [&] { submit(shared, 1, early - ahead + 1); });
  run.join();
}

// The driver has taken a batch and not filed all of it when a later entry asks for a complete drain.
void hurried(execution& run) {
  auto& shared = run.make<front<1, 3>>("front");
  shared.bell.raise(soon);
  for (int i = 0; i != 2; ++i) shared.submit(0, late, late);
  run.thread("driver", [&] {
    deadlines wheel;
    driver(shared, wheel, soon, {.hurried = true}).drive_until(earliest);
  });
  run.thread("producer", [&] { shared.submit(0, earliest, earliest); });
  run.join();
}

void more_than_a_batch(execution& run) {
  auto& shared = make_front<1, false>(run);
  run.thread("driver", [&] {
    deadlines wheel;
    driver(shared, wheel, soon, {.room = 1}).drive_until(earliest);
  });
  run.thread("producer", [&] {
    submit(shared, 0, early);
    submit(shared, 0, earliest);
  });
  run.join();
}

// No memory for the entries: the driver looks at the nodes themselves.
using node_deadlines = std::array<detent::base::atomic<nanoseconds_t>, 2>;
struct rescanned_nodes {
  node_deadlines& nodes;
  unsigned found = 0;

  void take(std::uint64_t) {}
  nanoseconds_t next() const { return found == nodes.size() ? earliest : late; }
  void rescan() {
    found = 0;
    for (auto& each : nodes) found += each.load(detent::base::acquire) != 0;
  }
};

void no_memory(execution& run) {
  auto& shared = make_front<2, false>(run);
  auto& nodes = run.make<node_deadlines>("nodes");
  run.thread("driver", [&] {
    rescanned_nodes wheel{nodes};
    driver(shared, wheel, soon).drive_until(earliest);
  });
  for (std::uint32_t i = 0; i != 2; ++i) {
    run.thread("producer", [&, i] {
      nodes[i].store(early, detent::base::release);
      shared.submit(i, 0, early, false);
    });
  }
  run.join();
}

// The driver gives up paying for the producers' fences between two raises.
void back_to_symmetric(execution& run) {
  auto& shared = make_front<1, true>(run);
  run.thread("driver", [&] {
    shared.bell.begin_symmetric();
    drive(shared);
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.join();
}

// The other way round: producers may not know yet that they need no fence.
void on_to_asymmetric(execution& run) {
  auto& shared = make_front<1, false>(run);
  shared.bell.allow_asymmetric(true);
  run.thread("driver", [&] {
    shared.bell.begin_asymmetric();
    drive(shared);
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.join();
}

// The driver waits on its wake_fd, which a producer signals.
void outside(execution& run) {
  auto& shared = make_front<1, false>(run);
  run.thread("driver", [&] {
    deadlines wheel;
    driver self(shared, wheel, soon);
    self.announce_until(late);
    if (wheel.known == earliest) return;
    if (shared.bell.go_outside()) {
      while (shared.signalled.load(detent::base::acquire) == 0)
        detent::base::futex_wait(shared.signalled, 0, INT64_MAX);
    }
    require(shared.bell.has_rung(), "woken outside, but the bell does not tell");
    self.answer();
    self.drain();
    require(wheel.known == earliest, "rang before its push can be seen");
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.join();
}

// Whoever stops sets its mark and rings; the driver reads the mark after it has cleared the bell.
void stop(execution& run) {
  auto& shared = make_front<1, false>(run);
  auto& life = run.make<lifecycle>("life");
  run.thread("driver", [&] {
    deadlines wheel;
    driver self(shared, wheel, soon, {.life = &life});
    while (life.is_open()) {
      self.answer();
      const nanoseconds_t until = self.announce_until(late);
      if (until != INT64_MIN) self.wait(until);
    }
  });
  run.thread("producer", [&] { submit(shared, 0, early); });
  run.thread("stopper", [&] {
    require(life.begin_stop(), "stopped by nobody");
    shared.bell.fence_stop();
    shared.bell.ring();
  });
  run.join();
}

const suite wake_up(
    "WakeUp",
    {
        {"ARaiseAgainstAPush", raise_against_push<1, false>, {.preemptions = 4, .surprises = 1}},
        {"ARaiseAgainstTwoPushers", raise_against_push<2, false>, {.preemptions = 2}},
        {"ARaiseAgainstTwoPushes", two_pushes<false>, {.surprises = 1}},
        {"AHeavyRaiseAgainstAPush", raise_against_push<1, true>, {.preemptions = 4}},
        {"AHeavyRaiseAgainstTwoPushes", two_pushes<true>},
        {"TwoRings", rings_alone<false, false>, {.preemptions = 2, .weak = {.stale = 3}}},
        {"TwoRingsWithLightFences", rings_alone<true, false>, {.preemptions = 2, .weak = {.stale = 3}}},
        {"OneMarkForTwo", one_mark_for_two<false>, {.preemptions = 2, .weak = {.stale = 2}, .time_passes = true}},
        {"OneMarkForTwoWithLightFences",
         one_mark_for_two<true>,
         {.preemptions = 2, .weak = {.stale = 2}, .time_passes = true}},
        {"AWakeTimeThatIsKept",
         kept_wake_time,
         {.preemptions = 2, .weak = {.stale = 2}, .time_passes = true},
         {"rung for"}},
        {"AWakeTimeThatIsKeptComes", kept_wake_time_comes, {.preemptions = 3, .time_passes = true}},
        {"ARingLeftForLater",
         left_for_later<true>,
         {.preemptions = 2, .weak = {.stale = 1}, .time_passes = true},
         {"left"}},
        {"ARingNotLeftForLater",
         left_for_later<false>,
         {.preemptions = 2, .weak = {.stale = 1}, .time_passes = true},
         {"not left"}},
        {"ADrainInAHurry", hurried},
        {"MoreThanABatch", more_than_a_batch, {.preemptions = 2}},
        {"NoMemoryForTheEntries", no_memory, {.preemptions = 2, .weak = {.stale = 1}}},
        {"ARingForTheBacklog", rings_alone<false, true>, {.preemptions = 2}},
        {"ARingForTheBacklogWithLightFences", rings_alone<true, true>, {.preemptions = 2}},
        {"BackToTwoFullFences", back_to_symmetric, {.preemptions = 4}},
        {"OnToOneHeavyFence", on_to_asymmetric, {.preemptions = 4}},
        {"OnTheWakeFd", outside, {.preemptions = 4}},
        {"AStopIsHeard", stop, {.preemptions = 2}},
    });

}  // namespace
}  // namespace model
