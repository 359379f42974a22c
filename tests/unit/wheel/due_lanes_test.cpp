// SPDX-License-Identifier: MIT
#include "wheel/due_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/random_source.hpp"

namespace detent::detail {
namespace {

due_entry entry(nanoseconds_t deadline, node_index index, std::uint32_t order = 0) {
  return {.deadline = deadline, .order = order, .index = index};
}

std::vector<node_index> pop_all(due_lanes& lanes) {
  std::vector<node_index> popped;
  while (!lanes.empty()) {
    const node_index first = lanes.front().index;
    popped.push_back(lanes.pop().index);
    EXPECT_EQ(popped.back(), first);
  }
  return popped;
}

using indices = std::vector<node_index>;

TEST(DueLanes, AgreesWithASortByLaneAndDeadline) {
  test::random_source random(3);
  for (int round = 0; round < 50; ++round) {
    due_lanes lanes(0);
    std::vector<std::tuple<int, nanoseconds_t, node_index>> model;  // highest lane first
    const node_index count = random.between(1u, 600u);
    for (node_index each = 0; each < count; ++each) {
      const auto lane = static_cast<std::uint8_t>(random.between(1, 3));
      const nanoseconds_t deadline = random.between(0, 50);
      EXPECT_TRUE(lanes.collect(lane, entry(deadline, each, each)));
      model.emplace_back(-lane, deadline, each);
    }
    lanes.seal();
    std::sort(model.begin(), model.end());
    indices expected;
    for (const auto& each : model) expected.push_back(std::get<2>(each));
    EXPECT_EQ(pop_all(lanes), expected);
  }
}

}  // namespace
}  // namespace detent::detail
