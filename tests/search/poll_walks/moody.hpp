// SPDX-License-Identifier: MIT
// The executor of a world: what becomes of what it is offered is the world's decision.
#pragma once

#include "search/poll_walks/world.hpp"

#include <utility>

namespace detent::poll_walks {

class world::moody final : public executor {
 public:
  moody(world& of, unsigned number, bool keeps_order) : world_(of), number_(number), keeps_order_(keeps_order) {}
  bool execute(fired_timer&& work) noexcept override { return world_.execute(number_, std::move(work)); }
  bool keeps_order() const noexcept override { return keeps_order_; }

 private:
  world& world_;
  const unsigned number_;
  const bool keeps_order_;
};

}  // namespace detent::poll_walks
