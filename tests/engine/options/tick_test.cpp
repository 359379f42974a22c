// SPDX-License-Identifier: MIT
// Deadlines are rounded up to multiples of the tick, and the rounded value is the deadline everywhere.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;

class EngineTick : public testing::TestWithParam<duration> {
 protected:
  time_point rounded(time_point t) const {
    const std::int64_t ns = t.time_since_epoch().count(), over = ((ns % tick_) + tick_) % tick_;
    return at(over == 0 ? ns : ns + tick_ - over);
  }
  const std::int64_t tick_ = GetParam().count();
  drive::virtual_engine rig_{{.tick = GetParam()}};
  manual_clock& clock_ = rig_.clock;
  engine& engine_ = rig_.engine;
};
INSTANTIATE_TEST_SUITE_P(Ticks, EngineTick, testing::Values(1ns, 3ns, 1000ns, 7us, 1ms, 10ms),
                         [](const auto& tested) { return std::to_string(tested.param.count()) + "ns"; });

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
  drive::virtual_engine rig({.tick = GetParam()}, at(1'234'567'891));
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

TEST_P(EngineTick, ShowsTheRoundedDeadlineOfWhatStopReturns) {
  engine_.schedule_at(at(7 * tick_ - tick_ / 2), [] {});
  std::vector<unfired_timer> left = engine_.stop();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].deadline, at(7 * tick_));
}

TEST_P(EngineTick, KeepsTheEndOfTimeInReach) {
  timer t = engine_.schedule_at(time_point::max(), rig_.note(1));
  EXPECT_EQ(rig_.poll_at(at(1'000'000'000)), 0u);
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(rig_.poll_at(time_point::max()), 1u);
}

}  // namespace
}  // namespace detent
