// SPDX-License-Identifier: MIT
// Behaviour that must not depend on the wheel's kind, on its size, or on a deadline's place in it.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;

struct wheel_shape {
  wheel_kind wheel;
  std::size_t hashed_slots;
};

class on_each_shape : public testing::TestWithParam<wheel_shape> {
 protected:
  static engine_options options(duration tick = duration(1)) {
    return {.tick = tick, .wheel = GetParam().wheel, .hashed_slots = GetParam().hashed_slots};
  }
  drive::virtual_engine rig_{options()};
  engine& engine_ = rig_.engine;
};
using EngineWheelKinds = on_each_shape;

std::string shape_name(const testing::TestParamInfo<wheel_shape>& info) {
  return info.param.wheel == wheel_kind::hierarchical ? "hierarchical"
                                                      : "hashed_" + std::to_string(info.param.hashed_slots);
}
INSTANTIATE_TEST_SUITE_P(Shapes, EngineWheelKinds,
                         testing::Values(wheel_shape{wheel_kind::hierarchical, 512}, wheel_shape{wheel_kind::hashed, 1},
                                         wheel_shape{wheel_kind::hashed, 16}, wheel_shape{wheel_kind::hashed, 100},
                                         wheel_shape{wheel_kind::hashed, 512}),
                         shape_name);

TEST_P(EngineWheelKinds, FireADelayBesideEachPowerOfTwoAtItsNanosecond) {
  for (unsigned bit = 1; bit < 62; ++bit) {
    for (std::int64_t beside : {-1, 0, 1}) {
      drive::virtual_engine rig(options());
      const time_point due = at((std::int64_t{1} << bit) + beside);
      rig.engine.schedule_at(due, rig.note(1));
      ASSERT_EQ(rig.poll_at(due - 1ns), 0u) << "2^" << bit << " + " << beside;
      ASSERT_EQ(rig.poll_at(due), 1u) << "2^" << bit << " + " << beside;
    }
  }
}

TEST_P(EngineWheelKinds, FireDelaysOfWholeRevolutionsAtTheirNanosecond) {
  for (std::int64_t tick : {1, 100, 7'000}) {
    for (std::int64_t slots : {16, 64, 512, 4096}) {
      for (std::int64_t turns : {1, 2, 3, 17}) {
        for (std::int64_t beside : {-1, 0, 1}) {
          drive::virtual_engine rig(options(duration(tick)), at(5 * tick));
          const time_point due = rig.clock.now() + duration((slots * turns + beside) * tick);
          rig.engine.schedule_at(due, rig.note(1));
          ASSERT_EQ(rig.poll_at(due - 1ns), 0u);
          ASSERT_EQ(rig.poll_at(due), 1u);
        }
      }
    }
  }
}

TEST_P(EngineWheelKinds, FireEverythingInOrderAfterAJumpOfYears) {
  constexpr duration year = 365 * 24h;
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> expected, seen;
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t due = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>((5 * year).count()));
    expected.push_back(due >> random() % 40);
    engine_.schedule_at(at(expected.back()),
                        [&](firing& f) { seen.push_back(f.deadline().time_since_epoch().count()); });
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(rig_.poll_at(at(5 * year)), 2000u);
  EXPECT_EQ(seen, expected);
}

TEST_P(EngineWheelKinds, ReachBothEndsOfTime) {
  engine_.schedule_at(time_point::max(), rig_.note(2));
  engine_.schedule_at(time_point::min(), rig_.note(1));
  EXPECT_EQ(engine_.poll(), 1u);
  EXPECT_EQ(rig_.poll_at(time_point::max() - 1ns), 0u);
  EXPECT_EQ(rig_.poll_at(time_point::max()), 1u);
}

// Some of them while it is far, some while it is near, and others of its slot come due between.
TEST_P(EngineWheelKinds, HandOutManyTimersOfOneDeadlineInTheirArmingOrderHoweverFarItWas) {
  const time_point due = at(512 * 20);
  ids expected;
  for (const int ahead : {512 * 20, 512 * 6, 1600, 1000, 600, 512, 100, 1}) {
    rig_.poll_at(due - duration(ahead));
    for (int i = 0; i < 50; ++i) {
      expected.push_back(static_cast<int>(expected.size()));
      engine_.schedule_at(due, rig_.note(expected.back()));
    }
    for (const int rounds : {1, 2, 3, 6}) engine_.schedule_at(due - duration(512 * rounds), [] {});
  }
  rig_.poll_at(due);
  EXPECT_EQ(rig_.fired, expected);
}

TEST_P(EngineWheelKinds, FireNothingOfAThousandCancelledAtEveryDistance) {
  std::vector<timer> timers;
  for (unsigned i = 0; i < 1000; ++i) {
    timers.push_back(engine_.schedule_at(at((std::int64_t{1} << i % 61) + i), rig_.note(1)));
  }
  engine_.next_deadline();
  for (timer& each : timers) EXPECT_EQ(each.cancel(), cancel_result::cancelled);
  EXPECT_EQ(rig_.poll_at(time_point::max()), 0u);
  EXPECT_EQ(engine_.pending(), 0u);
}

}  // namespace
}  // namespace detent
