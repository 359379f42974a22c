// SPDX-License-Identifier: MIT
// All histories of four steps on wheels so small that four steps reach across several levels or rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "search/histories/boundaries.hpp"
#include "search/histories/exhaustive.hpp"
#include "search/histories/wheel_world.hpp"

namespace detent::history {
namespace {

// The world's start is whatever the history's is: each has a wheel of its own.
template <class Kind>
void all_of_four(setting where, const alphabet& over, nanoseconds_t boundary) {
  for (nanoseconds_t offset : {-1, 0, 1}) {
    wheel_world<Kind> world(where);
    agrees_in_all(world, where, enumeration(over, 4), {}, [=](nanoseconds_t) { return boundary + offset; });
    if (testing::Test::HasFailure()) return;
  }
}

// The edges of the lowest levels, the beginning and the end.
alphabet around(const std::vector<nanoseconds_t>& edges) {
  std::vector<nanoseconds_t> delays{0, 1, detail::forever};
  for (nanoseconds_t edge : edges) add_around(delays, edge);
  delays = in_order(delays);
  return {delays, delays};
}

// Boundaries that four steps can reach, and where a carry runs through all levels.
const std::vector<nanoseconds_t> near_boundaries{0, 4}, far_boundaries{1, 2, 16, 64, 1LL << 30, 1LL << 62, -64};

class ShrunkWheelHistories : public testing::TestWithParam<nanoseconds_t> {
 protected:
  void SetUp() override {
    const bool is_near = std::find(near_boundaries.begin(), near_boundaries.end(), GetParam()) != near_boundaries.end();
    if (!is_near && !long_tests()) GTEST_SKIP() << only_long;
  }
};

INSTANTIATE_TEST_SUITE_P(Near, ShrunkWheelHistories, testing::ValuesIn(near_boundaries));
INSTANTIATE_TEST_SUITE_P(Far, ShrunkWheelHistories, testing::ValuesIn(far_boundaries));

TEST_P(ShrunkWheelHistories, AgreeInAllOfFourStepsWithTwoSlotsALevel) {
  all_of_four<shrunk_hierarchy<1>>({}, around({2, 4, 8}), GetParam());
}
TEST_P(ShrunkWheelHistories, AgreeInAllOfFourStepsWithFourSlotsALevel) {
  all_of_four<shrunk_hierarchy<2>>({}, around({4, 16, 64}), GetParam());
}
TEST_P(ShrunkWheelHistories, AgreeInAllOfFourStepsWithFourSlotsALevelOnACoarseGrid) {
  all_of_four<shrunk_hierarchy<2>>({.tick = 3}, around({3, 12}), GetParam());
}
TEST_P(ShrunkWheelHistories, AgreeInAllOfFourStepsOnARingOfFour) {
  all_of_four<shrunk_ring>({.wheel = wheel_kind::hashed, .slots = 4}, around({4, 8, 12}), GetParam());
}
TEST_P(ShrunkWheelHistories, AgreeInAllOfFourStepsOnARingOfFourOnACoarseGrid) {
  all_of_four<shrunk_ring>({.wheel = wheel_kind::hashed, .tick = 3, .slots = 4}, around({3, 12}), GetParam());
}

}  // namespace
}  // namespace detent::history
