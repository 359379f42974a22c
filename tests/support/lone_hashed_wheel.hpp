// SPDX-License-Identifier: MIT
// A hashed wheel with sets of its own; an engine's has those of its other wheel.
#pragma once

#include "wheel/hashed_wheel.hpp"

namespace detent::test {

template <class Nodes>
struct own_sets {
  explicit own_sets(Nodes nodes) : sets(nodes), due(sets) {}
  using all_sets = typename detail::hierarchical_wheel<Nodes>::sets;
  all_sets sets;
  detail::due_sets<all_sets> due;
};

template <class Nodes, class Traits = detail::hashed_traits>
class lone_hashed_wheel : private own_sets<Nodes>, public detail::hashed_wheel<Nodes, Traits> {
 public:
  lone_hashed_wheel(Nodes nodes, detail::tick_grid grid, detail::nanoseconds_t start, std::size_t slots)
      : own_sets<Nodes>(nodes), detail::hashed_wheel<Nodes, Traits>(nodes, grid, start, slots, this->sets, this->due) {}
};

}  // namespace detent::test
