// SPDX-License-Identifier: MIT
// Deadlines are rounded up to multiples of the tick, and the rounded value is the deadline everywhere.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

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

}  // namespace
}  // namespace detent
