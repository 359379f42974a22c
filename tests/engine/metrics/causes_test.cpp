// SPDX-License-Identifier: MIT
// Each cause of lateness is provoked, and shows under its own name: where callbacks run inline.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/lateness_sums.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using drive::expect_largest;
using drive::expect_parts_add_up;

TEST(EngineCauses, NothingIsLateInTime) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(100), [] {});
  rig.poll_at(at(100));
  expect_largest(rig.engine.metrics(), {});
  expect_parts_add_up(rig.engine.metrics(), 1);
}

TEST(EngineCauses, ACallerThatComesLateIsAWait) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(100), [] {});
  rig.poll_at(at(50));
  rig.poll_at(at(700));
  expect_largest(rig.engine.metrics(), {.wait = 600ns});
  expect_parts_add_up(rig.engine.metrics(), 1);
}

TEST(EngineCauses, ACallbackInFrontIsTheWorker) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(100), [&] { rig.clock.advance(5us); });
  rig.engine.schedule_at(at(100), [] {});
  rig.poll_at(at(100));
  expect_largest(rig.engine.metrics(), {.worker = 5us, .callback = 5us});
  expect_parts_add_up(rig.engine.metrics(), 2);
}

TEST(EngineCauses, AWaitAndThenACallbackInFrontShareTheLateness) {
  drive::virtual_engine rig;
  const label second = rig.engine.make_label("second");
  rig.engine.schedule_at(at(100), [&] { rig.clock.advance(5us); });
  rig.engine.schedule_at(at(100), [] {}, {.label = second});
  rig.poll_at(at(50));
  rig.poll_at(at(400));
  expect_largest(rig.engine.metrics(second), {.wait = 300ns, .worker = 5us});
  expect_parts_add_up(rig.engine.metrics(second), 1);
}

TEST(EngineCauses, SubmittedAfterItsDeadlineIsTheDrain) {
  drive::virtual_engine rig;
  rig.poll_at(at(1s + 1ns));
  std::thread([&] { rig.engine.schedule_at(at(1), [] {}); }).join();
  rig.engine.poll();
  expect_largest(rig.engine.metrics(), {.drain = 1s});
  expect_parts_add_up(rig.engine.metrics(), 1);
}

// Submitted in time, and accepted after its deadline: the driver was in a callback.
TEST(EngineCauses, ASubmissionDuringALongCallbackIsTheDrain) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(100), [&] {
    std::thread([&] { rig.engine.schedule_at(at(201), [] {}); }).join();
    rig.clock.advance_to(at(1001));
  });
  rig.poll_at(at(100));
  rig.engine.poll();
  expect_largest(rig.engine.metrics(), {.drain = 800ns, .callback = 901ns});
  expect_parts_add_up(rig.engine.metrics(), 2);
}

TEST(EngineCauses, PeriodicRunsAreSplitLikeOthers) {
  drive::virtual_engine rig;
  rig.engine.schedule_at_fixed_rate(100ns, 100ns, [] {});
  rig.poll_at(at(0));
  for (int i = 1; i <= 10; ++i) rig.poll_at(at(100 * i + 7));
  expect_largest(rig.engine.metrics(), {.wait = 7ns});
  expect_parts_add_up(rig.engine.metrics(), 10);
}

// The caller came late for the first of them, and then there was a callback in front.
TEST(EngineCauses, ARunAfterMissedPeriodsIsLateSinceTheFirst) {
  drive::virtual_engine rig;
  const label rate = rig.engine.make_label("rate");
  rig.engine.schedule_at_fixed_rate(100ns, 100ns, [] {}, {.label = rate});
  rig.engine.schedule_at(at(90), [&] { rig.clock.advance_to(at(557)); });
  rig.poll_at(at(50));
  rig.poll_at(at(120));
  expect_largest(rig.engine.metrics(rate), {.wait = 20ns, .worker = 437ns});
  expect_parts_add_up(rig.engine.metrics(rate), 1);
}

TEST(EngineCauses, CallbacksAreMeasuredHoweverTheyEnd) {
  drive::virtual_engine rig({.on_error = [](std::exception_ptr) {}});
  const label one = rig.engine.make_label("one");
  rig.engine.schedule_at(at(10), [&] { rig.clock.advance(5ns); });
  rig.engine.schedule_at(at(10),
                         [&] {
                           rig.clock.advance(777ns);
                           throw std::runtime_error("");
                         },
                         {.label = one});
  rig.engine.schedule_at(at(10), [&] { rig.clock.advance(9ns); }, {.max_lateness = 3ns});  // stale, and not run
  rig.poll_at(at(10));
  EXPECT_EQ(rig.engine.metrics().callback.count(), 2u);
  EXPECT_EQ(rig.engine.metrics().callback.max(), 777ns);
  EXPECT_EQ(rig.engine.metrics(one).callback.count(), 1u);
  EXPECT_EQ(rig.engine.metrics(one).callback.max(), 777ns);
}

// On a worker's own clock: what B waited for is measured by A, in the same run.
TEST(EngineCausesWorker, BusyPastADeadline) {
  for (wait_options wait : {wait_options::sleep(), wait_options::hybrid()}) {
    engine e({.wait = wait});
    const label b = e.make_label("b");
    std::atomic<std::int64_t> least{-1};
    e.schedule_after(0ns, [&] {
      const time_point due = clock::now() + 1ms;
      e.schedule_at(due, [] {}, {.label = b});
      while (clock::now() < due + 5ms) {
      }
      least = (clock::now() - due).count();
    });
    ASSERT_TRUE(eventually([&] { return e.metrics(b).callback.count() == 1; }));
    const engine_metrics reported = e.metrics(b);
    EXPECT_GE(reported.late_worker.max().count(), least);
    expect_largest(reported, {.worker = reported.lateness.max(), .callback = reported.callback.max()});
    expect_parts_add_up(reported, 1);
  }
}

TEST(EngineCausesWorker, SleepsEndLate) {
  engine e({.wait = wait_options::sleep()});
  std::atomic<int> fired{0};
  e.schedule_at_fixed_rate(1ms, 1ms, [&] { ++fired; }, {.runs = 20});
  ASSERT_TRUE(eventually([&] { return fired == 20 && e.metrics().callback.count() == 20; }));
  const engine_metrics reported = e.metrics();
  EXPECT_GT(reported.late_wait.max(), 0ns);
  EXPECT_GT(reported.wakeups, 0u);
  expect_parts_add_up(reported, 20);
}

}  // namespace
}  // namespace detent
