// SPDX-License-Identifier: MIT
// A hashed wheel with a wheel of its own for what is near; an engine has that anyway.
#pragma once

#include "wheel/hashed_wheel.hpp"

namespace detent::test {

template <class Nodes>
struct own_wheel {
  detail::hierarchical_wheel<Nodes> near;
};

template <class Nodes, unsigned NearTicks = detail::limits::near_ticks>
class lone_hashed_wheel : private own_wheel<Nodes>, public detail::hashed_wheel<Nodes, NearTicks> {
 public:
  lone_hashed_wheel(Nodes nodes, detail::tick_grid grid, detail::nanoseconds_t start, std::size_t slots)
      : own_wheel<Nodes>{detail::hierarchical_wheel<Nodes>(nodes, grid, start)},
        detail::hashed_wheel<Nodes, NearTicks>(nodes, grid, start, slots, this->near) {}
};

}  // namespace detent::test
