// SPDX-License-Identifier: MIT
// An LSD radix sort of due entries.
#pragma once

#include "timer/node.hpp"

#include "wheel/interlude.hpp"

#include <cstdint>
#include <vector>

namespace detent::detail {

// One due arming. Valid as long as the node's `placed` is the entry's; a stale one is skipped when its turn comes.
struct due_entry {
  nanoseconds_t deadline = 0;
  std::uint32_t order = 0;
  node_index index = no_node;
  placement placed{};
  std::uint32_t taken_up = 0;  // how late: see lateness_split
};

// Returns whether `a` fires before `b`, among two armings of one thread, wherever its count of orders has wrapped.
bool fires_before(const due_entry& a, const due_entry& b) noexcept;

// Sorts by (deadline, arming order). Some nanoseconds an entry: by digits where there are many. `scratch` lends its
// memory; its contents are lost. `between` is called after each stretch of every walk over the entries, unless there is
// no memory for `scratch`.
void sort_due(std::vector<due_entry>& batch, std::vector<due_entry>& scratch, const interlude& between = {}) noexcept;

}  // namespace detent::detail
