// SPDX-License-Identifier: MIT
// Each cause of lateness where callbacks run on an executor.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"
#include "support/lateness_sums.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using drive::expect_largest;
using drive::expect_parts_add_up;

struct held_rig {
  std::shared_ptr<testing::holding_executor> executor = std::make_shared<testing::holding_executor>();
  drive::virtual_engine rig{{.executor = executor}};
};

void expect_counts(const engine_metrics& reported, std::uint64_t runs) {
  EXPECT_EQ(reported.lateness.count(), runs);
  EXPECT_EQ(reported.callback.count(), runs);
  for (const histogram* part :
       {&reported.late_drain, &reported.late_wait, &reported.late_worker, &reported.late_dispatch})
    EXPECT_EQ(part->count(), runs);
}

TEST(EngineCausesExecutor, FromTheHandOverToTheStart) {
  held_rig held;
  held.rig.engine.schedule_at(at(100), [&] { held.rig.clock.advance(33ns); });
  held.rig.poll_at(at(50));
  held.rig.poll_at(at(100));
  held.rig.clock.advance_to(at(1000));
  held.executor->run_all();
  const engine_metrics reported = held.rig.engine.metrics();
  expect_largest(reported, {.dispatch = 900ns, .callback = 33ns});
  EXPECT_EQ(reported.lateness.max(), 900ns);
  expect_counts(reported, 1);
}

// Its start is further from its hand-over than a signed time can express.
TEST(EngineCausesExecutor, ALongerDispatchThanThereIsTimeIsAllOfIt) {
  auto executor = std::make_shared<testing::holding_executor>();
  drive::virtual_engine rig({.executor = executor}, at(-5));
  rig.engine.schedule_at(at(-4), [] {});
  rig.poll_at(at(-4));
  rig.clock.advance_to(time_point::max());
  executor->run_all();
  expect_largest(rig.engine.metrics(), {.dispatch = duration::max()});
}

// Handed over for one period, it runs when others have come: it stands for the last of them, and is late by the first.
TEST(EngineCausesExecutor, APeriodicRunIsLateSinceThePeriodThatWasHandedOver) {
  held_rig held;
  held.rig.engine.schedule_at_fixed_rate(10ns, 10ns, [] {});
  held.rig.poll_at(at(10));
  held.rig.clock.advance_to(at(35));
  held.executor->run_all();
  const engine_metrics reported = held.rig.engine.metrics();
  EXPECT_EQ(reported.lateness.max(), 25ns);
  EXPECT_EQ(reported.missed, 2u);
  expect_largest(reported, {.dispatch = 25ns});
}

TEST(EngineCausesExecutor, ARunCountsOnceItsCallbackHasReturned) {
  held_rig held;
  drive::virtual_engine inline_rig;
  const label named = inline_rig.engine.make_label("named");
  const auto expect_nothing_but_its_start = [](const engine_metrics& inside) {
    EXPECT_EQ(inside.fired, 1u);
    expect_counts(inside, 0);
  };
  held.rig.engine.schedule_at(at(100), [&] { expect_nothing_but_its_start(held.rig.engine.metrics()); });
  inline_rig.engine.schedule_at(at(100), [&] { expect_nothing_but_its_start(inline_rig.engine.metrics(named)); },
                                {.label = named});
  held.rig.poll_at(at(100));
  held.executor->run_all();
  inline_rig.poll_at(at(100));
  expect_counts(held.rig.engine.metrics(), 1);
  expect_counts(inline_rig.engine.metrics(named), 1);
}

TEST(EngineCausesExecutor, WhatCameBeforeTheHandOverIsNoDispatch) {
  held_rig held;
  held.rig.engine.schedule_at(at(100), [] {});
  held.rig.poll_at(at(50));
  held.rig.poll_at(at(300));
  held.rig.clock.advance_to(at(1000));
  held.executor->run_all();
  const engine_metrics reported = held.rig.engine.metrics();
  expect_largest(reported, {.wait = 200ns, .dispatch = 700ns});
  EXPECT_EQ(reported.lateness.max(), 900ns);
}

TEST(EngineCausesExecutor, SubmittedLateIsNoDispatch) {
  held_rig held;
  held.rig.poll_at(at(1001));
  held.rig.engine.schedule_at(at(1), [] {});
  held.rig.engine.poll();
  held.rig.clock.advance(500ns);
  held.executor->run_all();
  expect_largest(held.rig.engine.metrics(), {.drain = 1us, .dispatch = 500ns});
}

TEST(EngineCausesExecutor, WhatIsHandedOverAndDoesNotStartCountsForNothing) {
  held_rig held;
  held.rig.poll_at(at(50));
  timer cancelled = held.rig.engine.schedule_at(at(20), [] {});  // the latest of all, and accepted late
  held.rig.engine.schedule_at(at(60), [] {});                    // dropped
  held.rig.engine.schedule_at(at(100), [] {});
  held.rig.engine.poll();
  held.rig.poll_at(at(300));
  ASSERT_EQ(held.executor->held.size(), 3u);
  cancelled.cancel();
  held.executor->run_first();
  held.executor->held.pop_front();
  EXPECT_EQ(held.rig.engine.metrics().late_drain.count(), 0u);
  EXPECT_EQ(held.rig.engine.metrics().late_wait.count(), 0u);
  held.executor->run_all();
  expect_largest(held.rig.engine.metrics(), {.wait = 200ns});
  expect_parts_add_up(held.rig.engine.metrics(), 1);
}

// Resumed between the hand-over and the run, its group has moved the deadline: what it was late before is less now.
TEST(EngineCausesExecutor, APauseAfterTheHandOverIsNoLateness) {
  held_rig held;
  timer_group group(held.rig.engine);
  group.schedule_at(at(100), [] {});
  held.rig.poll_at(at(50));
  held.rig.poll_at(at(300));
  group.pause();
  held.rig.clock.advance_to(at(350));
  group.resume();
  held.rig.clock.advance_to(at(360));
  held.executor->run_all();
  const engine_metrics reported = held.rig.engine.metrics();
  EXPECT_EQ(reported.lateness.max(), 210ns);
  expect_largest(reported, {.wait = 200ns, .dispatch = 10ns});
}

TEST(EngineCausesExecutor, RefusedAndRunInlineIsTheWorkersTime) {
  auto moody = std::make_shared<testing::moody_executor>();
  moody->refuse = true;
  drive::virtual_engine rig({.executor = moody, .on_refusal = refusal_policy::run_inline});
  for (int i = 0; i < 2; ++i) rig.engine.schedule_at(at(100), [&] { rig.clock.advance(1us); });
  rig.poll_at(at(50));
  rig.poll_at(at(100));
  expect_largest(rig.engine.metrics(), {.worker = 1us, .callback = 1us});
  expect_counts(rig.engine.metrics(), 2);
}

TEST(EngineCausesExecutor, RefusedAndOfferedAgainIsDispatch) {
  auto moody = std::make_shared<testing::moody_executor>();
  moody->refuse = true;
  drive::virtual_engine rig({.executor = moody, .on_refusal = refusal_policy::retry});
  rig.engine.schedule_at(at(100), [] {});
  rig.poll_at(at(50));
  rig.poll_at(at(100));
  rig.poll_at(at(1ms));
  moody->refuse = false;
  rig.poll_at(at(2ms + 100ns));
  expect_largest(rig.engine.metrics(), {.dispatch = 2ms});
  expect_counts(rig.engine.metrics(), 1);
}

}  // namespace
}  // namespace detent
