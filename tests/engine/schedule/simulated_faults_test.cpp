// SPDX-License-Identifier: MIT
// What a simulation of many worlds found, each as the few calls that it takes.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using EngineSimulatedFaults = drive::on_both_wheels;

INSTANTIATE_TEST_SUITE_P(Wheels, EngineSimulatedFaults, drive::both_wheels, drive::wheel_name);

void on_another_thread(const std::function<void()>& work) { std::thread(work).join(); }

// Keeps what it is given; from then on that it `runs`, runs all that it has as soon as it is given more.
class runs_what_it_kept final : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    kept.push_back(std::move(work));
    for (std::vector<fired_timer> taken; runs && !kept.empty();) {
      taken.swap(kept);
      for (fired_timer& each : taken) each();
      taken.clear();
    }
    return true;
  }
  std::vector<fired_timer> kept;
  bool runs = false;
};

TEST_P(EngineSimulatedFaults, ARestartInPlaceComesBeforeWhatItsThreadArmsNext) {
  for (int i = 0; i < 20; ++i) engine_.schedule_at(at(1h), [] {}).cancel();  // this thread's count is ahead
  timer restarted = engine_.schedule_at(at(10), rig_.note(1));
  engine_.schedule_at(at(5), [&, restarted]() mutable {
    on_another_thread([&] {
      EXPECT_TRUE(restarted.restart_at(at(10)));
      engine_.schedule_at(at(10), rig_.note(2));
    });
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(fired_, (ids{1, 2}));
}

TEST_P(EngineSimulatedFaults, ARestartInPlaceOfWhatIsLeftOverKeepsItsThreadsOrder) {
  for (int i = 0; i < 20; ++i) engine_.schedule_at(at(1h), [] {}).cancel();
  engine_.schedule_at(at(5), rig_.note(0));
  timer restarted = engine_.schedule_at(at(10), rig_.note(1));
  rig_.poll_at(at(10), 1);
  on_another_thread([&] {
    EXPECT_TRUE(restarted.restart_at(at(10)));
    engine_.schedule_at(at(10), rig_.note(2));
  });
  engine_.poll();
  EXPECT_EQ(fired_, (ids{0, 1, 2}));
}

// The grid 3, 103, 203... on a tick of 10 is due at 10, 110, 210...; restarted to 10 it is 10, 110, 210... itself.
// The restarting thread's count stands where that of the arming stood.
TEST_P(EngineSimulatedFaults, ARestartToTheRoundedDeadlineBeginsTheGridThere) {
  drive::virtual_engine rig(with_wheel({.tick = 10ns}));
  std::vector<std::uint64_t> missed;
  timer each = rig.engine.schedule_at_fixed_rate(3ns, 5ns, [&](firing& run) { missed.push_back(run.missed()); });
  on_another_thread([&] { EXPECT_TRUE(each.restart_at(at(10))); });
  rig.poll_at(at(10));
  EXPECT_EQ(missed, std::vector<std::uint64_t>{0}) << "counted from 3, a period has come at 8";
}

// The same, between a run and the next, where an executor has it.
TEST_P(EngineSimulatedFaults, ARestartInAnExecutorsHandsBeginsTheGridThere) {
  auto holder = std::make_shared<testing::holding_executor>();
  drive::virtual_engine rig(with_wheel({.tick = 10ns, .executor = holder}));
  std::vector<std::uint64_t> missed;
  timer each = rig.engine.schedule_at_fixed_rate(3ns, 5ns, [&](firing& run) { missed.push_back(run.missed()); });
  rig.poll_at(at(10));
  EXPECT_TRUE(each.restart_at(at(10)));
  rig.engine.poll();
  ASSERT_EQ(holder->held.size(), 2u);
  holder->run_first();
  EXPECT_TRUE(missed.empty()) << "the first hand-over counts no more";
  holder->run_first();
  EXPECT_EQ(missed, std::vector<std::uint64_t>{0});
}

TEST_P(EngineSimulatedFaults, NoDeadlineIsReportedOnceAllThatWasRefusedIsCancelled) {
  auto refusing = std::make_shared<testing::moody_executor>();
  refusing->refuse = true;
  drive::virtual_engine rig(with_wheel({.executor = refusing, .on_refusal = refusal_policy::retry}));
  timer first = rig.engine.schedule_at(at(1), [] {});
  timer second = rig.engine.schedule_at(at(1), [] {});
  rig.poll_at(at(1));
  first.cancel();
  EXPECT_EQ(rig.engine.next_deadline(), at(1) + 1ms) << "the other one is offered again";
  second.cancel();
  EXPECT_EQ(rig.engine.pending(), 0u);
  EXPECT_EQ(rig.engine.next_deadline(), std::nullopt);
}

TEST_P(EngineSimulatedFaults, WhatWasRefusedRunsOnceInAPollThoughItIsRestarted) {
  auto refusing = std::make_shared<testing::moody_executor>();
  refusing->refuse = true;
  drive::virtual_engine rig(with_wheel({.executor = refusing, .on_refusal = refusal_policy::retry}));
  int runs = 0;
  timer again = rig.engine.schedule_at_fixed_rate(1ns, 1h, [&] { ++runs; });
  rig.poll_at(at(1));
  refusing->refuse = false;
  rig.engine.schedule_at(at(2), [&] { EXPECT_TRUE(again.restart_at(at(2))); });
  rig.poll_at(at(2));
  EXPECT_EQ(runs, 1) << "a second turn in one poll()";
  rig.engine.poll();
  EXPECT_EQ(runs, 2);
}

// The same for what the executor has kept since an earlier poll(), and runs inside this one.
TEST_P(EngineSimulatedFaults, WhatAnExecutorHeldRunsOnceInAPollThoughItIsRestarted) {
  auto holder = std::make_shared<runs_what_it_kept>();
  drive::virtual_engine rig(with_wheel({.executor = holder}));
  int runs = 0;
  timer again = rig.engine.schedule_at_fixed_rate(1ns, 1h, [&] { ++runs; });
  rig.poll_at(at(1));
  EXPECT_EQ(runs, 0);
  holder->runs = true;
  rig.engine.schedule_at(at(2), [&] { EXPECT_TRUE(again.restart_at(at(2))); });
  rig.poll_at(at(2));
  EXPECT_EQ(runs, 1) << "a second turn in one poll()";
  rig.engine.poll();
  EXPECT_EQ(runs, 2);
}

TEST_P(EngineSimulatedFaults, APollAcceptsWhatARetriedRunHasArmedElsewhere) {
  auto refusing = std::make_shared<testing::moody_executor>();
  refusing->refuse = true;
  drive::virtual_engine rig(with_wheel({.executor = refusing, .on_refusal = refusal_policy::retry}));
  rig.engine.schedule_at(at(1), [&] {
    rig.fired.push_back(1);
    on_another_thread([&] { rig.engine.schedule_at(at(1), rig.note(2)); });
  });
  rig.poll_at(at(1));
  refusing->refuse = false;
  rig.engine.poll();
  EXPECT_EQ(rig.fired, (ids{1, 2}));
}

TEST_P(EngineSimulatedFaults, APollHandsOverOneByOne) {
  drive::virtual_engine rig(with_wheel({.executor = std::make_shared<testing::moody_executor>()}));
  timer cancelled, restarted;
  rig.engine.schedule_at(at(1), [&] {
    rig.engine.schedule_at(at(2), rig.note(2));
    cancelled.cancel();
    restarted.restart_at(at(1));
  });
  cancelled = rig.engine.schedule_at(at(3), rig.note(3));
  restarted = rig.engine.schedule_at(at(4), rig.note(1));
  rig.engine.schedule_at(at(5), rig.note(5));
  EXPECT_EQ(rig.poll_at(at(5)), 4u);
  EXPECT_EQ(rig.fired, (ids{1, 2, 5}));
}

// More of them than next_deadline() scans; with the coarse tick one slot of a wheel holds two deadlines there.
TEST_P(EngineSimulatedFaults, ALoopOnTheNextDeadlineComesToTheLastInstant) {
  for (const duration tick : {1ns, 4096ns}) {
    drive::virtual_engine rig(with_wheel({.tick = tick}), tick == 1ns ? at(0) : at(INT64_MAX - 1));
    for (int i = 0; i < 200; ++i) rig.engine.schedule_at(time_point::max(), rig.note(i));
    for (int polls = 0; polls < 100 && rig.engine.pending() != 0; ++polls) {
      const auto next = rig.engine.next_deadline();
      ASSERT_TRUE(next);
      rig.poll_at(*next);
    }
    EXPECT_EQ(rig.fired.size(), 200u);
  }
}

TEST_P(EngineSimulatedFaults, TheNextDeadlineIsNoLaterThanWhatIsLeftOverInALowerLane) {
  engine_.schedule_at(at(1), [] {}, {.lane = 3});
  engine_.schedule_at(at(3), [] {}, {.lane = 3});
  engine_.schedule_at(at(2), [] {});
  rig_.poll_at(at(9), 1);
  EXPECT_EQ(engine_.next_deadline(), at(2));
}

// With slack it is inserted for later than it is due.
TEST_P(EngineSimulatedFaults, AskingForTheNextDeadlineInsertsNoSlackAgain) {
  engine_.schedule_at(at(1000), [] {}, {.slack = 100ns});
  const auto first = engine_.next_deadline();
  ASSERT_TRUE(first);
  rig_.poll_at(at(1000));
  if (engine_.pending() == 1) {
    EXPECT_GT(engine_.next_deadline(), at(1000)) << "a loop would spin until the slack is over";
  }
  EXPECT_LE(*first, at(1100));
}

}  // namespace
}  // namespace detent
