// SPDX-License-Identifier: MIT
// The common part of both wheels: the intrusive lists of slots. No threads, no clock.
#pragma once

#include "timer/filing.hpp"
#include "timer/node.hpp"

#include <cstdint>

namespace detent::detail {

// A slot's list, linked by indices through the nodes. New nodes go to the front, which touches one neighbour only; the
// order inside a slot is made when it comes due.
template <class Nodes>
class slot_list {
 public:
  // Returns true if the list was empty.
  static bool push_front(Nodes& nodes, node_index& head, node_index index, node& added) noexcept {
    node_index second = head;
    head = index;
    added.next = second;
    added.previous = no_node;
    if (second == no_node) return true;
    nodes[second].previous = index;
    return false;
  }
  // Returns true if the list is empty now.
  static bool unlink(Nodes& nodes, node_index& head, node& gone) noexcept {
    node_index next = gone.next, previous = gone.previous;
    if (next != no_node) nodes[next].previous = previous;
    if (previous != no_node) {
      nodes[previous].next = next;
      return false;
    }
    head = next;
    return next == no_node;
  }
};

// The time by which a node of the wheel is due: its deadline, unless the nodes know of something else.
template <class Nodes>
nanoseconds_t filing_time(const Nodes& nodes, node_index index, const node& filed) noexcept {
  if constexpr (requires { nodes.filing_time(index, filed); }) {
    return nodes.filing_time(index, filed);
  } else {
    return deadline_of(filed.pair);
  }
}

// Does the same for a node that is filed again.
template <class Nodes>
filing filing_of(const Nodes& nodes, node_index index, const node& filed) noexcept {
  if constexpr (requires { nodes.filing_of(index, filed); }) {
    return nodes.filing_of(index, filed);
  } else {
    return {filing_time(nodes, index, filed), true};
  }
}

}  // namespace detent::detail
