// SPDX-License-Identifier: MIT
// A hashed wheel with sets and runs of its own; an engine's has those of its other wheel.
#pragma once

#include "wheel/hashed_wheel.hpp"

namespace detent::test {

template <class Nodes>
struct sets_and_runs {
  explicit sets_and_runs(Nodes nodes) : sets(nodes), runs(sets) {}
  using all_sets = typename detail::hierarchical_wheel<Nodes>::sets;
  all_sets sets;
  detail::due_runs<all_sets> runs;
};

template <class Nodes, class Traits = detail::hashed_traits>
class lone_hashed_wheel : private sets_and_runs<Nodes>, public detail::hashed_wheel<Nodes, Traits> {
 public:
  lone_hashed_wheel(Nodes nodes, detail::tick_grid grid, detail::nanoseconds_t start, std::size_t slots)
      : sets_and_runs<Nodes>(nodes),
        detail::hashed_wheel<Nodes, Traits>(nodes, grid, start, slots, this->sets, this->runs) {}
};

}  // namespace detent::test
