// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using drive::problem_of;
using EnginePeriodic = drive::in_virtual_time;

TEST_F(EnginePeriodic, FixedRateStaysOnItsGridForAMillionPeriods) {
  constexpr duration period = 999'983ns, initial = 17ns;
  std::int64_t run = 0, off_the_grid = 0;
  engine_.schedule_at_fixed_rate(initial, period, [&](firing& f) {
    off_the_grid += f.deadline() != at(initial + run * period) || f.missed() != 0 ? 1 : 0;
    ++run;
  });
  for (std::int64_t n = 0; n < 1'000'000; ++n) ASSERT_EQ(rig_.poll_at(at(initial + n * period)), 1u);
  EXPECT_EQ(run, 1'000'000);
  EXPECT_EQ(off_the_grid, 0);
}

TEST_F(EnginePeriodic, IsOfItsKindWithoutExceptionsToo) {
  timer rate = engine_.try_schedule_at_fixed_rate(10ns, 10ns, rig_.note(1));
  rig_.poll_at(at(15));
  EXPECT_EQ(engine_.next_deadline(), at(20));
  rate.cancel();
  engine_.try_schedule_with_fixed_delay(10ns, 10ns, rig_.note(2));
  rig_.poll_at(at(28));
  EXPECT_EQ(engine_.next_deadline(), at(38));
}

TEST_F(EnginePeriodic, FixedDelayCountsFromTheEndOfEachRun) {
  std::vector<time_point> starts;
  engine_.schedule_with_fixed_delay(10ns, 100ns, [&](firing& f) {
    starts.push_back(f.started());
    clock_.advance(7ns);  // how long the run takes
  });
  EXPECT_EQ(rig_.poll_at(at(10)), 1u);
  EXPECT_EQ(rig_.poll_at(at(116)), 0u);
  EXPECT_EQ(rig_.poll_at(at(117)), 1u);
  EXPECT_EQ(engine_.next_deadline(), at(224));
}

TEST_F(EnginePeriodic, EndsAfterSoManyRuns) {
  timer t = engine_.schedule_at_fixed_rate(10ns, 10ns, rig_.note(1), {.runs = 3});
  EXPECT_TRUE(t.pending());
  for (int now = 0; now < 100; now += 10) rig_.poll_at(at(now));
  EXPECT_EQ(fired_.size(), 3u);
  EXPECT_FALSE(t.pending());
  EXPECT_EQ(t.cancel(), cancel_result::gone);
  EXPECT_EQ(engine_.pending(), 0u);
  EXPECT_EQ(engine_.metrics().expired, 1u);
}

TEST_F(EnginePeriodic, IsPendingInsideItsRunsButForTheLastOne) {
  timer t;
  std::vector<bool> inside;
  t = engine_.schedule_at_fixed_rate(10ns, 10ns, [&] { inside.push_back(t.pending()); }, {.runs = 3});
  for (int now = 10; now <= 30; now += 10) rig_.poll_at(at(now));
  EXPECT_EQ(inside, (std::vector{true, true, false}));
}

TEST_F(EnginePeriodic, TakesOnePlaceOfTheCapacityUntilItsEnd) {
  drive::virtual_engine rig({.max_pending = 1});
  rig.engine.schedule_at_fixed_rate(10ns, 10ns, [] {}, {.runs = 2});
  auto another = [&] { return rig.engine.try_schedule_after(1h, [] {}); };
  rig.poll_at(at(10));
  EXPECT_FALSE(another());
  rig.poll_at(at(20));
  EXPECT_TRUE(another());
}

TEST_F(EnginePeriodic, RefusesAPeriodThatIsNotPositive) {
  for (duration period : {0ns, -1ns, duration::min()}) {
    drive::problem rate = problem_of([&] { engine_.schedule_at_fixed_rate(1ns, period, [] {}); });
    EXPECT_EQ(rate.code, errc::invalid_period);
    EXPECT_TRUE(rate.names("period = " + std::to_string(period.count()))) << rate.what;
    EXPECT_EQ(problem_of([&] { engine_.schedule_with_fixed_delay(1ns, period, [] {}); }).code, errc::invalid_period);
    EXPECT_FALSE(engine_.try_schedule_at_fixed_rate(1ns, period, [] {}));
    EXPECT_FALSE(engine_.try_schedule_with_fixed_delay(1ns, period, [] {}));
  }
  EXPECT_EQ(engine_.metrics().scheduled, 0u);
}

TEST(EnginePeriodicOnAPool, NeverRunsTwiceAtATime) {
  engine worker({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 3})});
  std::atomic<int> inside{0}, overlaps{0}, runs{0};
  worker.schedule_at_fixed_rate(0ns, 10us, [&] {
    overlaps += ++inside > 1 ? 1 : 0;
    std::this_thread::sleep_for(200us);  // time for the pool's other threads to start the next
    --inside;
    ++runs;
  });
  EXPECT_TRUE(eventually([&] { return runs.load() >= 50; }));
  worker.stop();
  EXPECT_EQ(overlaps.load(), 0);
}

TEST(EnginePeriodicOnAPool, ShowsEachRunWhatTheOneBeforeDid) {
  engine worker({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 3})});
  int plain = 0;  // a race, if the runs did not happen one before the other
  std::atomic<bool> done{false};
  worker.schedule_with_fixed_delay(0ns, 1us, [&] {
    if (++plain == 500) done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  worker.stop();
  EXPECT_GE(plain, 500);
}

TEST(EnginePeriodicOnAWorker, FiresNoRunBeforeItsDeadline) {
  std::atomic<int> runs{0}, early{0};
  engine worker;
  worker.schedule_at_fixed_rate(0ns, 100us, [&](firing& f) {
    early += clock::now() < f.deadline() || f.lateness() < 0ns ? 1 : 0;
    ++runs;
  });
  EXPECT_TRUE(eventually([&] { return runs.load() >= 200; }));
  EXPECT_EQ(early.load(), 0);
}

}  // namespace
}  // namespace detent
