// SPDX-License-Identifier: MIT
// The lists of a hashed wheel's slots: what waits there for its round. No clock.
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"
#include "platform/check.hpp"
#include "timer/node.hpp"
#include "wheel/tournament.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace detent::detail {

// One thread. Nodes as for hierarchical_wheel. A slot of few has several lists, which are walked side by side: one list
// is walked no faster than memory answers, node by node. An inserted node's location is FirstLocation and its list. The
// order inside a slot is made when it comes due.
template <class Nodes, std::uint32_t FirstLocation>
class round_lists {
 public:
  // `slots` is a power of two. Throws bad_alloc.
  round_lists(Nodes nodes, std::size_t slots)
      : nodes_(nodes),
        list_bits_(static_cast<unsigned>(
            std::countr_zero(std::clamp<std::size_t>(limits::lists_of_all_slots / slots, 1, limits::lists_a_slot)))),
        heads_(slots << list_bits_, no_node),
        bounds_(slots) {}

  std::size_t slots() const noexcept { return bounds_.slots(); }
  bool empty() const noexcept { return bounds_.least() == forever; }
  // Nothing is due before; `forever`: nothing is there. And the slot of which that is true.
  nanoseconds_t bound() const noexcept { return bounds_.least(); }
  std::size_t first_slot() const noexcept { return bounds_.first(); }
  // Nothing of an occupied slot is due before `time`.
  void set_bound(std::size_t slot, nanoseconds_t time) noexcept { bounds_.set(slot, time); }

  static bool contains(const node& inserted) noexcept { return inserted.location >= FirstLocation; }
  // O(1), and O(log slots) where `time`, which is below `forever`, is before the slot's bound: then it returns true.
  bool insert(std::size_t slot, node_index index, node& added, nanoseconds_t time) noexcept {
    const std::size_t into = list_for(slot, index);
    added.location = FirstLocation + static_cast<std::uint32_t>(into);
    added.previous = no_node;
    added.next = std::exchange(heads_[into], index);  // to the front, which touches one neighbour only
    if (added.next != no_node) nodes_[added.next].previous = index;
    if (time >= bounds_.of(slot)) return false;
    bounds_.set(slot, time);
    return true;
  }
  // O(1), and O(log slots) for a slot's last.
  void unlink(node& gone) noexcept {
    const std::size_t of = gone.location - FirstLocation;
    DETENT_ASSERT(of < heads_.size());
    gone.location = nowhere;
    const node_index next = gone.next, previous = gone.previous;
    if (next != no_node) nodes_[next].previous = previous;
    if (previous != no_node) {
      nodes_[previous].next = next;
    } else {
      heads_[of] = next;
      if (next == no_node) list_emptied(of);
    }
  }
  // The node that an insert() would touch beside its own; no_node: none.
  node_index neighbour(std::size_t slot, node_index index) const noexcept { return heads_[list_for(slot, index)]; }
  // f(index, node) for each node of a slot until it returns false; f may unlink the node.
  template <class F>
  void each(std::size_t slot, F&& f) {
    std::array<node_index, limits::lists_a_slot> at;
    std::copy_n(heads_.begin() + static_cast<std::ptrdiff_t>(slot << list_bits_), lists(), at.begin());
    for (bool more = true; more;) {
      more = false;
      for (std::size_t of = 0; of < lists(); ++of) {
        const node_index index = at[of];
        if (index == no_node) continue;
        more = true;
        node& here = nodes_[index];
        at[of] = here.next;
        if (here.next != no_node) base::prefetch_to_write(&nodes_[here.next]);
        if (!f(index, here)) return;
      }
    }
  }
  // Returns whether all links, locations and bounds agree; for tests.
  bool check() const noexcept {
    for (std::size_t of = 0; of < heads_.size(); ++of) {
      node_index before = no_node;
      for (node_index index = heads_[of]; index != no_node; index = nodes_[index].next) {
        if (nodes_[index].previous != before || nodes_[index].location != FirstLocation + of) return false;
        before = index;
      }
    }
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      if (is_empty(slot) != (bounds_.of(slot) == forever)) return false;
    }
    return bounds_.check();
  }

 private:
  std::size_t lists() const noexcept { return std::size_t{1} << list_bits_; }
  std::size_t list_for(std::size_t slot, node_index index) const noexcept {
    return (slot << list_bits_) + (index & (lists() - 1));
  }
  bool is_empty(std::size_t slot) const noexcept {
    const auto first = heads_.begin() + static_cast<std::ptrdiff_t>(slot << list_bits_);
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(lists()),
                       [](node_index head) { return head == no_node; });
  }
  DETENT_NOINLINE void list_emptied(std::size_t emptied) noexcept {
    if (const std::size_t slot = emptied >> list_bits_; is_empty(slot)) bounds_.set(slot, forever);
  }

  Nodes nodes_;
  unsigned list_bits_;  // a slot has 2^n lists
  std::vector<node_index> heads_;
  tournament bounds_;
};

}  // namespace detent::detail
