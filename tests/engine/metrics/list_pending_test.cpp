// SPDX-License-Identifier: MIT
// list_pending() returns every pending timer once, in its state, with what there is to know of it.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

std::optional<pending_timer> find(const engine& e, timer wanted) {
  for (const pending_timer& each : e.list_pending())
    if (each.handle == wanted) return each;
  return std::nullopt;
}

std::string state_of(const engine& e, timer wanted) {
  const std::optional<pending_timer> reported = find(e, wanted);
  return reported ? reported->state : "not listed";
}

TEST(EngineListPending, QueuedUntilTheDriverDrains) {
  drive::virtual_engine rig({.capture_origin = true});
  const label mine = rig.engine.make_label("mine");
  timer one = rig.engine.schedule_at(at(100), [] {}, {.label = mine});
  const std::uint32_t line = __LINE__ - 1;
  rig.clock.advance(7ns);
  const pending_timer reported = find(rig.engine, one).value();
  EXPECT_STREQ(reported.state, "queued");
  EXPECT_EQ(reported.deadline, at(100));
  EXPECT_EQ(reported.age, 7ns);
  EXPECT_EQ(reported.label, mine);
  EXPECT_STREQ(reported.file, __FILE__);
  EXPECT_EQ(reported.line, line);
  rig.engine.poll();
  EXPECT_EQ(state_of(rig.engine, one), "armed");
  rig.poll_at(at(100));
  EXPECT_EQ(state_of(rig.engine, one), "not listed");
}

TEST(EngineListPending, DispatchedUntilItStarts) {
  auto held = std::make_shared<testing::holding_executor>();
  drive::virtual_engine rig({.executor = held});
  std::string inside;
  timer one;
  one = rig.engine.schedule_at(at(100), [&] { inside = state_of(rig.engine, one); });
  rig.poll_at(at(100));
  EXPECT_EQ(state_of(rig.engine, one), "dispatched");
  held->run_all();
  EXPECT_EQ(inside, "not listed");
  EXPECT_EQ(state_of(rig.engine, one), "not listed");
}

TEST(EngineListPending, APeriodicOneRunsAndIsPending) {
  drive::virtual_engine rig;
  std::vector<std::string> inside;
  timer one;
  one = rig.engine.schedule_at_fixed_rate(100ns, 100ns, [&] { inside.push_back(state_of(rig.engine, one)); },
                                          {.runs = 3});
  for (int i = 1; i <= 2; ++i) {
    rig.poll_at(at(100 * i));
    EXPECT_EQ(state_of(rig.engine, one), "armed");
    EXPECT_EQ(find(rig.engine, one)->deadline, at(100 * (i + 1)));
  }
  rig.poll_at(at(300));
  // Its last run is no longer one of a pending timer's.
  EXPECT_EQ(inside, (std::vector<std::string>{"running", "running", "not listed"}));
}

TEST(EngineListPending, AGroupThatIsPausedHasNoDeadlines) {
  drive::virtual_engine rig;
  timer_group group(rig.engine);
  const label mine = rig.engine.make_label("mine");
  timer armed = group.schedule_at(at(100), [] {}, {.label = mine});
  rig.engine.poll();
  timer queued = group.schedule_at(at(100), [] {});
  EXPECT_EQ(state_of(rig.engine, armed), "armed");
  EXPECT_EQ(state_of(rig.engine, queued), "queued");
  group.pause();
  for (timer each : {armed, queued}) {
    EXPECT_EQ(state_of(rig.engine, each), "paused");
    EXPECT_EQ(find(rig.engine, each)->deadline, time_point::max());
  }
  EXPECT_EQ(find(rig.engine, armed)->label, mine);
  rig.poll_at(at(50));
  group.resume();
  rig.engine.poll();
  EXPECT_EQ(find(rig.engine, armed)->deadline, at(150));
}

TEST(EngineListPending, DeadlinesAreOnTheTickInAGroupToo) {
  drive::virtual_engine rig({.tick = 1ms});
  timer_group group(rig.engine);
  timer member = group.schedule_at(at(1500us), [] {}), plain = rig.engine.schedule_at(at(1500us), [] {});
  for (timer each : {member, plain}) EXPECT_EQ(find(rig.engine, each)->deadline, at(2ms));
  rig.poll_at(at(100us));
  group.pause();
  rig.poll_at(at(900us));
  group.resume();
  rig.engine.poll();
  EXPECT_EQ(find(rig.engine, member)->deadline, at(3ms)) << "2300us, rounded";
  EXPECT_EQ(find(rig.engine, plain)->deadline, at(2ms));
}

TEST(EngineListPending, AMemberThatPausesItsGroupRunsAllTheSame) {
  drive::virtual_engine rig;
  timer_group group(rig.engine);
  std::string inside;
  timer one;
  one = group.schedule_at_fixed_rate(100ns, 100ns, [&] {
    group.pause();
    inside = state_of(rig.engine, one);
  });
  rig.poll_at(at(100));
  EXPECT_EQ(inside, "running");
  EXPECT_EQ(state_of(rig.engine, one), "paused");
}

TEST(EngineListPending, MembersOfACancelledGroupAreGoneAtOnce) {
  drive::virtual_engine rig;
  timer_group group(rig.engine);
  for (int i = 0; i < 5; ++i) group.schedule_at(at(100), [] {});
  rig.engine.poll();
  for (int i = 0; i < 5; ++i) group.schedule_at_fixed_rate(100ns, 100ns, [] {});
  timer other = rig.engine.schedule_at(at(100), [] {});
  group.cancel_all();
  ASSERT_EQ(rig.engine.list_pending().size(), 1u);
  EXPECT_EQ(rig.engine.list_pending()[0].handle, other);
}

TEST(EngineListPending, APlainOneInAMembersPlace) {
  drive::virtual_engine rig;
  timer_group group(rig.engine);
  timer member = group.schedule_at(at(100), [] {}, {.label = rig.engine.make_label("mine")});
  rig.poll_at(at(100));
  timer plain = rig.note_in_place_of(member, at(200), 1);
  auto expect_plain = [&] {
    const pending_timer reported = find(rig.engine, plain).value();
    EXPECT_STREQ(reported.state, "queued");
    EXPECT_EQ(reported.deadline, at(200));
    EXPECT_EQ(reported.label, label());
  };
  expect_plain();
  group.pause();
  expect_plain();
  group.cancel_all();
  ASSERT_EQ(state_of(rig.engine, plain), "queued");
  expect_plain();
}

TEST(EngineListPending, WhatEndedIsNotListed) {
  drive::virtual_engine rig;
  timer cancelled = rig.engine.schedule_at(at(100), [] {});
  rig.engine.schedule_at(at(100), [] {}, {.max_lateness = 5ns});
  timer armed = rig.engine.schedule_at(at(500), [] {});
  cancelled.cancel();
  EXPECT_EQ(rig.engine.list_pending().size(), 2u);
  rig.poll_at(at(300));
  armed.cancel();
  EXPECT_TRUE(rig.engine.list_pending().empty());
  rig.engine.schedule_at(at(900), [] {});
  rig.engine.stop();
  EXPECT_TRUE(rig.engine.list_pending().empty());
}

// Hunting a leak: what nobody remembers is found by its origin, and ended by its handle.
TEST(EngineListPending, HandlesAreOfUse) {
  drive::virtual_engine rig({.capture_origin = true});
  const std::uint32_t leak = __LINE__ + 1;
  for (int i = 0; i < 10; ++i) rig.engine.schedule_at(at(1h), [] {});
  timer wanted = rig.engine.schedule_at(at(1h), [] {});
  rig.engine.poll();
  std::size_t ended = 0;
  for (pending_timer& each : rig.engine.list_pending())
    if (each.line == leak && each.handle.cancel() == cancel_result::cancelled) ++ended;
  EXPECT_EQ(ended, 10u);
  EXPECT_EQ(rig.engine.pending(), 1u);
  EXPECT_TRUE(rig.engine.list_pending()[0].handle.restart_at(at(2h)));
  EXPECT_EQ(find(rig.engine, wanted)->deadline, at(2h));
}

TEST(EngineListPending, DeadlinesAtTheEndsOfTime) {
  drive::virtual_engine rig;
  timer last = rig.engine.schedule_at(time_point::max(), [] {});
  timer first = rig.engine.schedule_at(time_point::min(), [] {});
  EXPECT_EQ(find(rig.engine, last)->deadline, time_point::max());
  EXPECT_STREQ(find(rig.engine, last)->state, "queued");
  EXPECT_EQ(find(rig.engine, first)->deadline, time_point::min());
}

// At rest it is just those that the test knows to be pending, with their deadlines.
TEST(EngineListPending, IsExactAtRest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    test::random_source random(seed);
    drive::virtual_engine rig;
    std::vector<std::pair<timer, time_point>> known;
    for (int i = 0; i < 600; ++i) {
      const time_point due = rig.clock.now() + duration(1 + random.any_magnitude(12));
      auto& any = known.empty() ? known.emplace_back(rig.engine.schedule_at(due, [] {}), due)
                                : known[random.between<std::size_t>(0, known.size() - 1)];
      switch (random.between(0, 5)) {
        case 0: any.first.cancel(); break;
        case 1:
          if (any.first.restart_at(due)) any.second = due;
          break;
        case 2: rig.poll_at(rig.clock.now() + duration(random.any_magnitude(9))); break;
        default: known.emplace_back(rig.engine.schedule_at(due, [] {}), due);
      }
      std::set<std::pair<timer, time_point>> wanted, reported;
      for (const auto& each : known)
        if (each.first.pending()) wanted.insert(each);
      for (const pending_timer& each : rig.engine.list_pending())
        EXPECT_TRUE(reported.emplace(each.handle, each.deadline).second) << "twice";
      ASSERT_EQ(wanted, reported);
      ASSERT_EQ(reported.size(), rig.engine.pending());
    }
  }
}

}  // namespace
}  // namespace detent
