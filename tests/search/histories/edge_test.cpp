// SPDX-License-Identifier: MIT
// All histories of six steps whose delays and steps are one edge, and a nanosecond less or more.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "search/histories/boundaries.hpp"
#include "search/histories/engine_world.hpp"
#include "search/histories/exhaustive.hpp"

namespace detent::history {
namespace {

// The histories follow each other from multiples of `block`, where a carry runs through the levels below it.
void all_of_six(setting where, nanoseconds_t edge, nanoseconds_t block) {
  const alphabet over{{edge - 1, edge, edge + 1}, {edge - 1, edge, edge + 1}};
  engine_world world(where);
  agrees_in_all(world, where, enumeration(over, 6), {}, start_times(0, 0, block));
}

class EdgeHistories : public testing::TestWithParam<std::tuple<wheel_kind, nanoseconds_t>> {};

std::string case_name(const testing::TestParamInfo<EdgeHistories::ParamType>& info) {
  const auto [wheel, edge] = info.param;
  return std::string(wheel == wheel_kind::hashed ? "hashed_" : "hierarchical_") + std::to_string(edge);
}

INSTANTIATE_TEST_SUITE_P(Levels, EdgeHistories,
                         testing::Combine(testing::Values(wheel_kind::hierarchical),
                                          testing::Values(edge_of(1), edge_of(2), edge_of(3), edge_of(5))),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Rounds, EdgeHistories,
                         testing::Combine(testing::Values(wheel_kind::hashed),
                                          testing::Values(full_ring, 2 * full_ring, 7 * full_ring)),
                         case_name);

TEST_P(EdgeHistories, AgreeInAllOfSixSteps) {
  const auto [wheel, edge] = GetParam();
  if (edge != edge_of(1) && edge != edge_of(2) && edge != full_ring && !long_tests()) GTEST_SKIP() << only_long;
  const setting where{.wheel = wheel, .slots = static_cast<std::size_t>(full_ring)};
  // Six steps go no further than six edges.
  all_of_six(where, edge, std::max(edge * 64, nanoseconds_t{4'096}));
}

}  // namespace
}  // namespace detent::history
