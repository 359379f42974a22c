// SPDX-License-Identifier: MIT
// All histories of three steps, on an engine's own two wheels, from beside every boundary of a level.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "search/histories/boundaries.hpp"
#include "search/histories/engine_world.hpp"
#include "search/histories/exhaustive.hpp"

namespace detent::history {
namespace {

// Level 11 stands for 2^62, which is no level's edge but the middle of the last.
constexpr unsigned beyond_top = top_level + 1;

nanoseconds_t boundary_of(unsigned level) { return level == beyond_top ? nanoseconds_t{1} << 62 : edge_of(level); }

// From level 9 on an engine lasts for eight histories at most.
bool costly(unsigned level) { return level + 1 >= top_level; }
// From level 10 on all time is one block: each history has an engine of its own.
bool has_blocks(unsigned level) { return level < top_level; }

nanoseconds_t block_of(unsigned level) {
  if (!has_blocks(level)) return detail::forever;
  return edge_of(level < 7 ? level + 2 : level + 1);
}

// The edges next to the boundary; for the ring those of its rounds as well. The longest delay is never waited for where
// an engine goes on to another history: that would be the end of its time.
alphabet near(wheel_kind wheel, unsigned level) {
  std::vector<nanoseconds_t> edges{0, 1};
  const unsigned middle = std::min(level, top_level);
  if (has_blocks(level)) {
    for (unsigned each = middle == 0 ? 0 : middle - 1; each <= middle + 1; ++each) add_around(edges, edge_of(each));
  } else {
    add_around(edges, boundary_of(level));
  }
  if (wheel == wheel_kind::hashed && level + 1 < top_level) {
    for (nanoseconds_t rounds : {1, 2}) add_around(edges, rounds * full_ring);
  }
  alphabet made{edges, edges};
  made.delays.push_back(detail::forever);
  if (!has_blocks(level)) made.steps.push_back(detail::forever);
  return {in_order(made.delays), in_order(made.steps)};
}

// Every edge there is, slots in the middle of a level included; waited for as far as blocks are cheap.
alphabet whole(wheel_kind wheel, unsigned level) {
  alphabet made = near(wheel, level);
  for (unsigned each = 0; each <= top_level; ++each) {
    add_around(made.delays, edge_of(each));
    if (each <= 5) add_around(made.steps, edge_of(each));
  }
  add_around(made.delays, 3 * edge_of(2));
  for (nanoseconds_t rounds : {1, 2, 7}) add_around(made.delays, rounds * full_ring);
  return {in_order(made.delays), in_order(made.steps)};
}

class FullWheelHistories : public testing::TestWithParam<std::tuple<wheel_kind, unsigned>> {
 protected:
  void all_of_three(const alphabet& over, bool asks) {
    const auto [wheel, level] = GetParam();
    const manner how{.asks = asks, .drained_within = has_blocks(level) ? edge_of(level + 1) + 2 : detail::forever};
    for (nanoseconds_t offset : {-1, 0, 1}) {
      const setting where{.wheel = wheel, .slots = static_cast<std::size_t>(full_ring)};
      engine_world world(where);
      const start_times starts(boundary_of(level), offset, block_of(level));
      agrees_in_all(world, where, enumeration(over, 3), how, starts);
      if (HasFailure()) return;
    }
  }
};

std::string case_name(const testing::TestParamInfo<FullWheelHistories::ParamType>& info) {
  const auto [wheel, level] = info.param;
  return std::string(wheel == wheel_kind::hashed ? "hashed" : "hierarchical") + "_from_2_to_the_" +
         std::to_string(level == beyond_top ? 62 : level * full_bits);
}
INSTANTIATE_TEST_SUITE_P(Boundaries, FullWheelHistories,
                         testing::Combine(testing::Values(wheel_kind::hierarchical, wheel_kind::hashed),
                                          testing::Range(0U, beyond_top + 1)),
                         case_name);

TEST_P(FullWheelHistories, AgreeInAllOfThreeStepsAroundTheBoundary) {
  const auto [wheel, level] = GetParam();
  all_of_three(near(wheel, level), false);
}

TEST_P(FullWheelHistories, AgreeInAllOfThreeStepsWhereTheNextDeadlineIsAskedForInBetween) {
  const auto [wheel, level] = GetParam();
  if (costly(level) && !long_tests()) GTEST_SKIP() << only_long;
  all_of_three(near(wheel, level), true);
}

TEST_P(FullWheelHistories, AgreeInAllOfThreeStepsWithEveryEdge) {
  const auto [wheel, level] = GetParam();
  if (!has_blocks(level)) GTEST_SKIP() << "an engine for each of these histories takes too long";
  if ((level > 2 || wheel == wheel_kind::hashed) && !long_tests()) GTEST_SKIP() << only_long;
  all_of_three(whole(wheel, level), false);
}

}  // namespace
}  // namespace detent::history
