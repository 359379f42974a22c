// SPDX-License-Identifier: MIT
// The result of a search for the next deadline, as long as it is right.
#pragma once

#include "limits.hpp"
#include "timer/node.hpp"

#include <climits>
#include <cstdint>

namespace detent::detail {

// With this as the number of nodes that it may look at, a search looks at all of them, and its result is exact.
inline constexpr int look_at_all = INT_MAX;

// One thread. A wheel reports each change. The remembered node stays right until an earlier node is inserted, which
// takes its place, or until the node itself leaves.
class earliest {
 public:
  // Remembers a node that is due at `time`, before all others; `alone`: no other node is due then.
  void found(node_index index, node& first, nanoseconds_t time, bool alone) noexcept {
    first_ = &first;
    index_ = index;
    time_ = time;
    alone_ = alone;
  }
  // The slot that comes first has too many nodes to look at.
  void found_crowd() noexcept { crowd_ = limits::looks_after_unlinks; }
  void forget() noexcept {
    first_ = nullptr;
    time_ = INT64_MIN;
    crowd_ = 0;
  }

  void inserted(node_index index, node& added, nanoseconds_t time) noexcept {
    if (time > time_) [[likely]]
      return;
    if (time < time_) return found(index, added, time, true);
    alone_ = false;
  }
  // Another slot may come first.
  void slot_opened() noexcept { crowd_ = 0; }
  void unlinked(const node& gone) noexcept {
    if (&gone == first_) forget();
    if (crowd_ != 0) --crowd_;
  }

  bool is_known() const noexcept { return first_ != nullptr; }
  bool is_crowd() const noexcept { return crowd_ != 0; }
  node& first() const noexcept { return *first_; }
  node_index index() const noexcept { return index_; }
  nanoseconds_t time() const noexcept { return time_; }
  bool alone() const noexcept { return alone_; }

 private:
  node* first_ = nullptr;           // null: not known
  nanoseconds_t time_ = INT64_MIN;  // not known: no node is earlier
  node_index index_ = no_node;
  bool alone_ = false;
  std::uint32_t crowd_ = 0;  // not zero: a crowd, until this many are unlinked
};

}  // namespace detent::detail
