// SPDX-License-Identifier: MIT
// What both wheels share: the arithmetic of ticks and the lists of slots. No threads, no clock.
#pragma once

#include <detent/detail/node.hpp>
#include <detent/time.hpp>

#include <bit>
#include <cstdint>

namespace detent::detail {

// Deadlines are multiples of the tick, counted from the clock's zero; the end of time is legal too.
class tick_grid {
 public:
  explicit constexpr tick_grid(nanoseconds_t tick) noexcept : tick_(tick) {}

  constexpr nanoseconds_t round_up(nanoseconds_t t) const noexcept {
    if (tick_ == 1) return t;
    nanoseconds_t over = remainder(t);
    return over == 0 ? t : add_saturated(t, tick_ - over);
  }
  constexpr nanoseconds_t round_down(nanoseconds_t t) const noexcept {
    if (tick_ == 1 || t == forever) return t;  // at the end of time all is due, aligned or not
    return add_saturated(t, -remainder(t));
  }
  constexpr bool exact() const noexcept { return tick_ == 1; }
  // Times share a unit only if no two multiples of the tick lie in it: a slot of the finest level holds one deadline.
  constexpr unsigned unit_shift() const noexcept {
    return 63u - static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(tick_)));
  }

 private:
  constexpr nanoseconds_t remainder(nanoseconds_t t) const noexcept {
    nanoseconds_t over = t % tick_;
    return over < 0 ? over + tick_ : over;
  }
  nanoseconds_t tick_;
};

// Signed time as an unsigned number of the same order, and back.
inline constexpr std::uint64_t to_unsigned(nanoseconds_t t) noexcept {
  return static_cast<std::uint64_t>(t) ^ (std::uint64_t{1} << 63);
}
inline constexpr nanoseconds_t to_signed(std::uint64_t u) noexcept {
  return static_cast<nanoseconds_t>(u ^ (std::uint64_t{1} << 63));
}

// A slot's list, linked by indices through the nodes. New nodes go to the front, which touches one neighbour only; the
// order inside a slot is made when it comes due.
template <class Nodes>
class slot_list {
 public:
  // True: the list was empty.
  static bool push_front(Nodes& nodes, node_index& head, node_index index, node& added) noexcept {
    node_index second = head;
    head = index;
    added.next = second;
    added.previous = no_node;
    if (second == no_node) return true;
    nodes[second].previous = index;
    return false;
  }
  // True: the list is empty now.
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

// What a filed node is due by: its deadline, unless the nodes know of something else.
template <class Nodes>
nanoseconds_t filing_time(const Nodes& nodes, node_index index, const node& filed) noexcept {
  if constexpr (requires { nodes.filing_time(index, filed); }) {
    return nodes.filing_time(index, filed);
  } else {
    return deadline_of(filed.pair);
  }
}

// At most this many nodes are looked at to tell the next deadline exactly; beyond it a lower bound has to do.
inline constexpr int exact_look_limit = 64;

}  // namespace detent::detail
