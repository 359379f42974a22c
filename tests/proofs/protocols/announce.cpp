// SPDX-License-Identifier: MIT
// What the driver announces before it waits, and what it leaves or keeps: nothing is checked too late.
#include "scenario.hpp"
#include "wake_up.hpp"

#include <array>

namespace model {
namespace {

// The time announced is not far: the driver keeps it, and a caller that is earlier still rings.
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

// Rung for something that is far, the driver checks shortly before it only, unless it waits for something else that is
// further away still, and does not keep that time; what comes meanwhile is in time.
template <std::uint32_t Producers, bool Keeps>
void left_for_later(execution& run) {
  constexpr nanoseconds_t ahead = 5;
  auto& shared = make_front<Producers, false>(run);
  shared.bell.raise(late);
  run.thread("driver", [&] {
    all_entries wheel{Producers};
    driver self(shared, wheel, soon,
                {.keeps_beyond = Keeps ? 20 : INT64_MAX, .leaves_beyond = earliest - soon, .looks_ahead = ahead});
    self.drive_until(earliest);
    require(self.now() <= early - ahead, "looked at too late");
    if (self.now() == early - ahead) reach("left");
    if (self.now() == soon) reach("not left");
  });
  run.thread("far", [&] { submit(shared, 0, early); });
  if (Producers == 2) run.thread("near", [&] { submit(shared, 1, early - ahead + 1); });
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

// No memory for the entries: the driver scans the nodes themselves.
template <std::uint32_t Count>
using node_deadlines = std::array<detent::base::atomic<nanoseconds_t>, Count>;
template <std::uint32_t Count>
struct rescanned_nodes : no_groups {
  explicit rescanned_nodes(node_deadlines<Count>& rescanned) : nodes(rescanned) {}
  node_deadlines<Count>& nodes;
  unsigned found = 0;

  void take(std::uint64_t) {}
  nanoseconds_t next() const { return found == nodes.size() ? earliest : late; }
  void rescan() {
    found = 0;
    for (auto& each : nodes) found += each.load(detent::base::acquire) != 0;
  }
};

template <std::uint32_t Producers>
void no_memory(execution& run) {
  auto& shared = make_front<Producers, false>(run);
  auto& nodes = run.make<node_deadlines<Producers>>("nodes");
  run.thread("driver", [&] {
    rescanned_nodes<Producers> wheel{nodes};
    driver(shared, wheel, soon).drive_until(earliest);
  });
  for (std::uint32_t i = 0; i != Producers; ++i) {
    run.thread("producer", [&, i] {
      nodes[i].store(early, detent::base::release);
      shared.submit(i, 0, early, false);
    });
  }
  run.join();
}

const bounds timed = {.preemptions = 3, .time_passes = true};
const bounds timed_and_large = {.preemptions = 2, .weak = {.stale = 1}, .time_passes = true};

const suite announce("Announce",
                     {
                         {"AWakeTimeThatIsKept", kept_wake_time, timed_and_large, {"rung for"}},
                         {"AWakeTimeThatIsKeptComes", kept_wake_time_comes, timed},
                         {"ARingLeftForLater", left_for_later<1, true>, timed, {"left"}},
                         {"ARingNotLeftForLater", left_for_later<1, false>, timed, {"not left"}},
                         {"TwoRingsLeftForLater", left_for_later<2, true>, timed_and_large, {"left"}},
                         {"TwoRingsNotLeftForLater", left_for_later<2, false>, timed_and_large, {"not left"}},
                         {"ADrainInAHurry", hurried},
                         {"MoreThanABatch", more_than_a_batch, {.preemptions = 2}},
                         {"NoMemoryForAnEntry", no_memory<1>},
                         {"NoMemoryForTwoEntries", no_memory<2>, {.preemptions = 2, .weak = {.stale = 1}}},
                     });

}  // namespace
}  // namespace model
