// SPDX-License-Identifier: MIT
// An executor of a walk: what becomes of what it is offered is decided by the world whose timer it is.
#pragma once

#include "search/poll_walks/walk.hpp"

#include <utility>

namespace detent::poll_walks {

class walk::moody final : public executor {
 public:
  moody(walk& of, unsigned number, bool keeps_order) : walk_(of), number_(number), keeps_order_(keeps_order) {}
  bool execute(fired_timer&& work) noexcept override { return walk_.execute(number_, std::move(work)); }
  bool keeps_order() const noexcept override { return keeps_order_; }

 private:
  walk& walk_;
  const unsigned number_;
  const bool keeps_order_;
};

}  // namespace detent::poll_walks
