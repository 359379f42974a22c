// SPDX-License-Identifier: MIT
// Slack: a timer may fire so much later, never earlier, and a sleeping worker wakes once for many.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_instant.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::eventually;

class EngineSlack : public drive::on_both_wheels {};

INSTANTIATE_TEST_SUITE_P(Wheels, EngineSlack, drive::both_wheels, drive::wheel_name);

TEST(EngineSlackDefault, IsNone) {
  EXPECT_EQ(timer_options{}.slack, duration(0));
  EXPECT_EQ(periodic_options{}.slack, duration(0));
}

// Polled wherever next_deadline() says, as a worker would be.
TEST_P(EngineSlack, IsNeverEarlyAndNeverExceeded) {
  test::random_source random(11);
  for (duration tick : {1ns, 10ns, 1000ns, 999'983ns}) {
    drive::virtual_engine rig(with_wheel({.tick = tick}));
    std::size_t fired = 0;
    constexpr std::size_t count = 1000;
    for (std::size_t i = 0; i < count; ++i) {
      const duration asked(random.between<std::int64_t>(1, 100'000'000)), slack(random.any_magnitude(24));
      rig.engine.schedule_at(at(asked),
                             [&, asked, slack](firing& f) {
                               ++fired;
                               EXPECT_GE(f.deadline(), at(asked));
                               EXPECT_GE(f.started(), f.deadline());
                               EXPECT_LE(f.started(), f.deadline() + slack) << f.deadline().time_since_epoch().count();
                             },
                             {.slack = slack});
    }
    while (auto next = rig.engine.next_deadline()) rig.poll_at(*next);
    EXPECT_EQ(fired, count);
  }
}

TEST_P(EngineSlack, BringsManyTogether) {
  for (int i = 0; i < 1000; ++i) engine_.schedule_at(at(10'000 + i * 100), [] {}, {.slack = 5000ns});
  int polls = 0;
  for (; auto next = engine_.next_deadline(); ++polls) rig_.poll_at(*next);
  EXPECT_LE(polls, 50);
  EXPECT_EQ(engine_.metrics().fired, 1000u);
}

TEST_P(EngineSlack, LeavesOrderByDeadlineAmongWhatIsDue) {
  engine_.schedule_at(at(1003), rig_.note(3), {.slack = 100ns});
  engine_.schedule_at(at(1010), rig_.note(4));
  engine_.schedule_at(at(1001), rig_.note(1), {.slack = 50ns});
  engine_.schedule_at(at(1002), rig_.note(2));
  rig_.poll_at(at(1200));
  EXPECT_EQ(fired_, (ids{1, 2, 3, 4}));
}

TEST_P(EngineSlack, ShowsInTheNextDeadline) {
  engine_.schedule_at(at(1001), rig_.note(1), {.slack = 100ns});
  const auto next = engine_.next_deadline();
  ASSERT_TRUE(next);
  EXPECT_GT(*next, at(1001));
  EXPECT_LE(*next, at(1101));
  EXPECT_EQ(rig_.poll_at(*next - 1ns), 0u);
  EXPECT_EQ(rig_.poll_at(*next), 1u);
}

TEST_P(EngineSlack, LeavesARoundDeadlineAlone) {
  engine_.schedule_at(at(1 << 20), rig_.note(1), {.slack = 1000ns});
  EXPECT_EQ(engine_.next_deadline(), at(1 << 20));
}

TEST_P(EngineSlack, HoldsForTheNewDeadlineOfARestart) {
  for (std::int64_t to : {500, 1050, 1500, 90'000}) {  // earlier, within the slack, after it
    time_point started, deadline;
    timer moved = engine_.schedule_after(1001ns, [&](firing& f) { started = f.started(), deadline = f.deadline(); },
                                         {.slack = 100ns});
    engine_.next_deadline();
    const time_point wanted = clock_.now() + duration(to);
    EXPECT_TRUE(moved.restart_at(wanted));
    while (auto next = engine_.next_deadline()) rig_.poll_at(*next);
    EXPECT_EQ(deadline, wanted);
    EXPECT_GE(started, wanted);
    EXPECT_LE(started, wanted + 100ns);
  }
}

TEST_P(EngineSlack, CanBeCancelledWhileItWaitsPastItsDeadline) {
  timer t = engine_.schedule_at(at(1001), rig_.note(1), {.slack = 100ns});
  EXPECT_EQ(rig_.poll_at(at(1002)), 0u);
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  rig_.poll_at(at(2000));
  EXPECT_EQ(fired_, ids{});
}

TEST_P(EngineSlack, EndsWithItsTimer) {
  timer ended = engine_.schedule_at(at(1001), [] {}, {.slack = 100ns});
  rig_.poll_at(at(2000));
  rig_.note_in_place_of(ended, at(3001), 1);
  EXPECT_EQ(engine_.next_deadline(), at(3001));
  EXPECT_EQ(rig_.poll_at(at(3001)), 1u);
}

TEST_P(EngineSlack, KeepsTheGridOfAPeriodicTimer) {
  std::vector<time_point> deadlines;
  engine_.schedule_at_fixed_rate(1001ns, 1000ns,
                                 [&](firing& f) {
                                   deadlines.push_back(f.deadline());
                                   EXPECT_LE(f.lateness(), 300ns);
                                   EXPECT_EQ(f.missed(), 0u);
                                 },
                                 {.runs = 50, .slack = 300ns});
  while (auto next = engine_.next_deadline()) rig_.poll_at(*next);
  ASSERT_EQ(deadlines.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(deadlines[static_cast<std::size_t>(i)], at(1001 + i * 1000));
}

TEST_P(EngineSlack, LongerThanAPeriodIsNoReasonToLoseRunsThatBurst) {
  std::vector<time_point> deadlines;
  engine_.schedule_at_fixed_rate(1001ns, 10ns, [&](firing& f) { deadlines.push_back(f.deadline()); },
                                 {.missed = missed_ticks::burst, .runs = 20, .slack = 1000ns});
  while (auto next = engine_.next_deadline()) rig_.poll_at(*next);
  ASSERT_EQ(deadlines.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(deadlines[static_cast<std::size_t>(i)], at(1001 + i * 10));
}

TEST_P(EngineSlack, HoldsForWhatIsReArmed) {
  int runs = 0;
  engine_.schedule_at(at(1001),
                      [&](firing& f) {
                        EXPECT_LE(f.lateness(), 200ns);
                        if (++runs < 5) f.rearm_at(f.deadline() + 777ns);
                      },
                      {.slack = 200ns});
  while (auto next = engine_.next_deadline()) rig_.poll_at(*next);
  EXPECT_EQ(runs, 5);
}

TEST_P(EngineSlack, DoesNotMakeATimerStaleByItself) {
  bool stale = true;
  engine_.schedule_at(at(1001), [&](firing& f) { stale = f.stale(); },
                      {.max_lateness = 100ns, .stale = stale_policy::run, .slack = 100ns});
  rig_.poll_at(*engine_.next_deadline());
  EXPECT_FALSE(stale);
}

// It makes the deadline later, and not the run.
TEST_P(EngineSlack, NorDoesAPauseOfItsGroup) {
  for (const duration late : {0ns, 1'000'000ns, 1'000'001ns}) {
    drive::virtual_engine rig(with_wheel());
    timer_group group(rig.engine);
    std::vector<bool> stale;
    for (const stale_policy policy : {stale_policy::drop, stale_policy::run})
      group.schedule_after(10ms, [&](firing& f) { stale.push_back(f.stale()); },
                           {.max_lateness = 1ms, .stale = policy});
    rig.poll_at(at(5ms));
    group.pause();
    rig.poll_at(at(100ms));
    group.resume();
    rig.engine.poll();
    rig.poll_at(at(105ms + late));
    const bool too_late = late > 1ms;
    EXPECT_EQ(stale, too_late ? std::vector{true} : (std::vector{false, false})) << late.count();
    EXPECT_EQ(rig.engine.metrics().dropped, too_late ? 1u : 0u);
  }
}

TEST_P(EngineSlack, ReachesToTheEndOfTimeAndNoFurther) {
  timer end = engine_.schedule_at(time_point::max(), rig_.note(1), {.slack = (duration::max)()});
  timer near = engine_.schedule_at(at(INT64_MAX - 5), rig_.note(2), {.slack = 100ns});
  timer past = engine_.schedule_at(time_point::min(), rig_.note(3), {.slack = 1h});
  timer any = engine_.schedule_at(at(-5), rig_.note(4), {.slack = (duration::max)()});
  rig_.poll_at(at(0));
  EXPECT_FALSE(past.pending());
  ASSERT_TRUE(engine_.next_deadline());
  EXPECT_GE(*engine_.next_deadline(), at(0));
  for (timer each : {end, near}) EXPECT_TRUE(each.pending());
  EXPECT_FALSE(any.pending());  // zero is the roundest time there is
  rig_.poll_at(time_point::max());
  EXPECT_EQ(fired_, (ids{3, 4, 2, 1}));
}

// On real clocks.
class EngineSlackOnAWorker : public ::testing::TestWithParam<wheel_kind> {};

INSTANTIATE_TEST_SUITE_P(Wheels, EngineSlackOnAWorker, drive::both_wheels, drive::wheel_name);

TEST_P(EngineSlackOnAWorker, WakesOnceForMany) {
  constexpr int count = 10'000;
  std::atomic<int> fired{0}, early{0};
  engine e({.wheel = GetParam(), .wait = wait_options::sleep()});
  const time_point base = clock::now() + 100ms;
  for (int i = 0; i < count; ++i) {
    e.schedule_at(base + i * 10us,
                  [&](firing& f) {
                    if (f.started() < f.deadline()) ++early;
                    ++fired;
                  },
                  {.slack = 5ms});
  }
  ASSERT_TRUE(testing::settle(e));
  const std::uint64_t before = e.metrics().wakeups;
  ASSERT_TRUE(eventually([&] { return fired == count; }));
  EXPECT_LE(e.metrics().wakeups - before, 40u);
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace detent
