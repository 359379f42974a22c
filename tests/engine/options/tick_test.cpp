// SPDX-License-Identifier: MIT
// Deadlines are rounded up to multiples of the tick, and the rounded value is the deadline everywhere.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;

class on_each_tick : public testing::TestWithParam<std::tuple<wheel_kind, duration>> {
 protected:
  static engine_options options() {
    return {.tick = std::get<duration>(GetParam()), .wheel = std::get<wheel_kind>(GetParam())};
  }
  time_point rounded(time_point t) const {
    const std::int64_t ns = t.time_since_epoch().count(), over = ((ns % tick_) + tick_) % tick_;
    return at(over == 0 ? ns : ns + tick_ - over);
  }
  const std::int64_t tick_ = std::get<duration>(GetParam()).count();
  drive::virtual_engine rig_{options()};
  manual_clock& clock_ = rig_.clock;
  engine& engine_ = rig_.engine;
};
using EngineTick = on_each_tick;

std::string name(const testing::TestParamInfo<EngineTick::ParamType>& info) {
  return std::string(std::get<0>(info.param) == wheel_kind::hashed ? "hashed_" : "hierarchical_") +
         std::to_string(std::get<1>(info.param).count()) + "ns";
}
INSTANTIATE_TEST_SUITE_P(Ticks, EngineTick,
                         testing::Combine(drive::both_wheels, testing::Values(1ns, 3ns, 1000ns, 7us, 1ms, 10ms)), name);

TEST_P(EngineTick, FiresAtTheFirstMultipleThatIsNotBeforeTheDeadline) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const time_point wanted = clock_.now() + duration(static_cast<std::int64_t>(random() >> 1) % (tick_ * 5) + 1),
                     due = rounded(wanted);
    engine_.schedule_at(wanted, [&](firing& f) { EXPECT_EQ(f.deadline(), due); });
    ASSERT_EQ(engine_.next_deadline(), due);
    ASSERT_EQ(rig_.poll_at(due - 1ns), 0u);
    ASSERT_EQ(rig_.poll_at(due), 1u);
  }
}

TEST_P(EngineTick, LeavesAMultipleOfTheTickAsItIs) {
  engine_.schedule_at(at(5 * tick_), rig_.note(1));
  EXPECT_EQ(rig_.poll_at(at(5 * tick_ - 1)), 0u);
  EXPECT_EQ(rig_.poll_at(at(5 * tick_)), 1u);
}

TEST_P(EngineTick, CountsMultiplesFromTheClocksZeroWhereverItStarts) {
  drive::virtual_engine rig(options(), at(1'234'567'891));
  const time_point wanted = rig.clock.now() + 10ns;
  rig.engine.schedule_after(10ns, rig.note(1));
  EXPECT_EQ(rig.engine.next_deadline(), rounded(wanted));
}

TEST_P(EngineTick, OrdersWhatSharesATickByItsArming) {
  for (std::int64_t i = 3; i > 0; --i) {
    engine_.schedule_at(at(4 * tick_ - tick_ * i / 4), rig_.note(static_cast<int>(i)));
  }
  rig_.poll_at(at(4 * tick_));
  EXPECT_EQ(rig_.fired, (ids{3, 2, 1}));
  engine_.schedule_at(at(8 * tick_), rig_.note(8));
  engine_.schedule_at(at(7 * tick_ + 1), rig_.note(7));
  rig_.poll_at(at(8 * tick_));
  EXPECT_EQ(rig_.fired, (ids{3, 2, 1, 8, 7}));
}

TEST_P(EngineTick, RoundsEachOfABulk) {
  const std::array wanted{at(5 * tick_ - 1), at(6 * tick_), at(7 * tick_ - tick_ / 2)};
  std::array<timer, wanted.size()> out;
  std::vector<time_point> deadlines;
  engine_.schedule_at_bulk(
      wanted, [&](firing& f, std::size_t) { deadlines.push_back(f.deadline()); }, out);
  for (time_point each : wanted) {
    const time_point due = rounded(each);
    ASSERT_EQ(engine_.next_deadline(), due);
    ASSERT_EQ(rig_.poll_at(due - 1ns), 0u);
    ASSERT_EQ(rig_.poll_at(due), 1u);
    ASSERT_EQ(deadlines.back(), due);
  }
}

TEST_P(EngineTick, RoundsARestart) {
  timer t = engine_.schedule_at(at(100 * tick_), rig_.note(1));
  rig_.poll_at(at(tick_));
  EXPECT_TRUE(t.restart_at(at(10 * tick_ - tick_ / 2)));
  EXPECT_EQ(engine_.next_deadline(), at(10 * tick_));
  EXPECT_EQ(rig_.poll_at(at(10 * tick_ - 1)), 0u);
  EXPECT_EQ(rig_.poll_at(at(10 * tick_)), 1u);
}

TEST_P(EngineTick, RoundsAReArm) {
  engine_.schedule_at(at(0), [&](firing& f) { f.rearm_at(at(2 * tick_ - tick_ / 2)); });
  engine_.poll();
  EXPECT_EQ(engine_.next_deadline(), at(2 * tick_));
}

TEST_P(EngineTick, ShowsTheRoundedDeadlineOfWhatStopReturns) {
  engine_.schedule_at(at(7 * tick_ - tick_ / 2), [] {});
  std::vector<unfired> left = engine_.stop();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].deadline, at(7 * tick_));
}

TEST_P(EngineTick, RoundsEachRunOfAFixedRateByItself) {
  const duration initial(tick_ / 3 + 1), period(tick_ * 5 / 2 + 1);
  std::vector<time_point> deadlines;
  engine_.schedule_at_fixed_rate(initial, period, [&](firing& f) { deadlines.push_back(f.deadline()); });
  for (std::int64_t n = 0; n < 100; ++n) {
    const time_point due = rounded(at(initial + n * period));
    ASSERT_EQ(rig_.poll_at(due - 1ns), 0u);
    ASSERT_EQ(rig_.poll_at(due), 1u);
    ASSERT_EQ(deadlines.back(), due);
  }
}

TEST_P(EngineTick, CountsMissedPeriodsByTheirRoundedDeadlines) {
  const duration initial(tick_ / 3 + 1), period(tick_ * 5 / 2 + 1);
  engine_.schedule_at_fixed_rate(initial, period, [&](firing& f) {
    EXPECT_EQ(f.missed(), 9u);
    EXPECT_EQ(f.deadline(), rounded(at(initial + 9 * period)));
  });
  EXPECT_EQ(rig_.poll_at(rounded(at(initial + 9 * period))), 1u);
  EXPECT_EQ(engine_.next_deadline(), rounded(at(initial + 10 * period)));
}

TEST_P(EngineTick, RoundsTheDelayThatFollowsARun) {
  const duration delay(tick_ + tick_ / 2 + 1);
  engine_.schedule_with_fixed_delay(0ns, delay, [&] { clock_.advance(1ns); });
  engine_.poll();
  EXPECT_EQ(engine_.next_deadline(), rounded(at(1ns + delay)));
}

TEST_P(EngineTick, FiresTheNextPeriodEvenIfItSharesATickWithTheLast) {
  std::uint64_t runs = 0, missed = 0;
  engine_.schedule_at_fixed_rate(duration(tick_), duration((tick_ + 3) / 4), [&](firing& f) {
    ++runs;
    missed += f.missed();
  });
  for (std::int64_t n = 1; n <= 50; ++n) rig_.poll_all_at(at(n * tick_));
  // Each period up to here has run or is reported as missed.
  EXPECT_EQ(runs + missed, static_cast<std::uint64_t>(49 * tick_ / ((tick_ + 3) / 4)) + 1);
}

TEST_P(EngineTick, MovesAPeriodicTimersGridThoughTheRestartStaysInItsTick) {
  const duration period(tick_ * 5 / 2);
  timer t = engine_.schedule_at_fixed_rate(period, period, rig_.note(1));
  const time_point first = rounded(at(period));
  EXPECT_TRUE(t.restart_at(first));
  EXPECT_EQ(rig_.poll_at(first), 1u);
  EXPECT_EQ(engine_.next_deadline(), rounded(first + period));
}

TEST_P(EngineTick, KeepsTheEndOfTimeInReach) {
  timer t = engine_.schedule_at(time_point::max(), rig_.note(1));
  EXPECT_EQ(rig_.poll_at(at(1'000'000'000)), 0u);
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(rig_.poll_at(time_point::max()), 1u);
}

}  // namespace
}  // namespace detent
