// SPDX-License-Identifier: MIT
// A hierarchy of wheels with bitmaps. A node's slot is given by the highest bit in which its deadline and the wheel's
// time differ, so that every slot of a level comes before every slot of the level above. There are no ticks: the next
// expiry is found by counting trailing zeros, and a jump of five years visits the slots that are occupied.
#pragma once

#include <detent/detail/wheel_support.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace detent::detail {

struct hierarchical_traits {
  static constexpr unsigned slot_bits = 6;  // 1 to 6: 2^n slots a level, and as many levels as 64 bits need
};

// One thread. Nodes is a reference-like type with `node& operator[](node_index)`.
template <class Nodes, class Traits = hierarchical_traits>
class hierarchical_wheel {
 public:
  static constexpr unsigned slot_bits = Traits::slot_bits;
  static constexpr unsigned slots = 1u << slot_bits;
  static constexpr unsigned levels = (64 + slot_bits - 1) / slot_bits;
  static_assert(slot_bits >= 1 && slot_bits <= 6, "one bitmap a level is one word");

  hierarchical_wheel(Nodes nodes, tick_grid grid, nanoseconds_t start) noexcept
      : nodes_(nodes), grid_(grid), shift_(grid.unit_shift()), current_(unit(grid.round_down(start))) {
    heads_.fill(no_node);
  }

  // Files a node under `deadline`; sets its location. O(1), touches one neighbour.
  void insert(node_index index, node& added, nanoseconds_t deadline) noexcept;
  // Fetches what an insert would touch beside the node.
  void prefetch_insert(nanoseconds_t deadline) const noexcept {
    node_index head = heads_[slot_for(deadline)];
    if (head != no_node) __builtin_prefetch(&nodes_[head], 1);
  }
  // Takes a filed node out. O(1).
  void unlink(node& gone) noexcept;
  // Moves the wheel to `now` (never back) and hands every node whose slot has begun to take(index, node): true takes
  // it over, false files it anew under its deadline as it is then.
  template <class Take>
  void expire(nanoseconds_t now, Take&& take);
  // No node is due before this; none: empty; the earliest time of all where something is due already. O(1).
  std::optional<nanoseconds_t> next_bound() const noexcept;
  // The same, exact where few nodes share the earliest slot. Files anew what was restarted, and hands each node that
  // it looks at to gone(index, node): true drops it from the wheel.
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone);
  // Whether every link, bitmap and location agrees; for tests.
  bool check_invariants() const noexcept;

 private:
  using list = slot_list<Nodes>;
  std::uint64_t unit(nanoseconds_t t) const noexcept { return to_unsigned(t) >> shift_; }
  static unsigned digit(std::uint64_t unit, unsigned level) noexcept {
    return static_cast<unsigned>(unit >> (level * slot_bits)) & (slots - 1);
  }
  std::uint32_t slot_for(nanoseconds_t deadline) const noexcept;
  std::uint64_t begun(unsigned level, std::uint64_t target) const noexcept;
  nanoseconds_t slot_start(unsigned level, unsigned slot) const noexcept;
  void clear_if_empty(std::uint32_t location) noexcept;
  void link(std::uint32_t location, node_index index, node& added) noexcept;

  Nodes nodes_;
  tick_grid grid_;
  unsigned shift_;
  std::uint64_t current_;              // the unit that the wheel has reached
  std::uint64_t occupied_levels_ = 0;  // bit n: some slot of level n is occupied
  static_assert(levels <= 64, "one bit a level");
  std::array<std::uint64_t, levels> occupied_{};
  std::array<node_index, std::size_t{levels} * slots> heads_;
};

template <class Nodes, class Traits>
std::uint32_t hierarchical_wheel<Nodes, Traits>::slot_for(nanoseconds_t deadline) const noexcept {
  std::uint64_t wanted = unit(deadline);
  // What is past belongs to the slot that is due now, the current one of the lowest level.
  if (wanted <= current_) return digit(current_, 0);
  unsigned level = (63u - static_cast<unsigned>(std::countl_zero(wanted ^ current_))) / slot_bits;
  return level * slots + digit(wanted, level);
}

template <class Nodes, class Traits>
void hierarchical_wheel<Nodes, Traits>::link(std::uint32_t location, node_index index, node& added) noexcept {
  added.location = location;
  list::push_front(nodes_, heads_[location], index, added);
  occupied_[location / slots] |= std::uint64_t{1} << (location % slots);
  occupied_levels_ |= std::uint64_t{1} << (location / slots);
}

template <class Nodes, class Traits>
void hierarchical_wheel<Nodes, Traits>::insert(node_index index, node& added, nanoseconds_t deadline) noexcept {
  link(slot_for(deadline), index, added);
}

template <class Nodes, class Traits>
void hierarchical_wheel<Nodes, Traits>::clear_if_empty(std::uint32_t location) noexcept {
  if (heads_[location] != no_node) return;
  std::uint64_t& level = occupied_[location / slots];
  level &= ~(std::uint64_t{1} << (location % slots));
  if (level == 0) occupied_levels_ &= ~(std::uint64_t{1} << (location / slots));
}

template <class Nodes, class Traits>
void hierarchical_wheel<Nodes, Traits>::unlink(node& gone) noexcept {
  DETENT_ASSERT(gone.location < heads_.size());
  list::unlink(nodes_, heads_[gone.location], gone);
  clear_if_empty(gone.location);
  gone.location = nowhere;
}

// The occupied slots of a level whose first unit is not after `target`.
template <class Nodes, class Traits>
std::uint64_t hierarchical_wheel<Nodes, Traits>::begun(unsigned level, std::uint64_t target) const noexcept {
  unsigned above = (level + 1) * slot_bits;
  bool same_turn = above >= 64 || (current_ >> above) == (target >> above);
  if (!same_turn) return occupied_[level];
  unsigned last = digit(target, level);
  std::uint64_t up_to_last = last == 63 ? ~std::uint64_t{0} : (std::uint64_t{1} << (last + 1)) - 1;
  return occupied_[level] & up_to_last;
}

template <class Nodes, class Traits>
template <class Take>
void hierarchical_wheel<Nodes, Traits>::expire(nanoseconds_t now, Take&& take) {
  std::uint64_t target = unit(grid_.round_down(now));
  if (target < current_) target = current_;
  // The begun slots are cut off first, as what is filed anew belongs to the wheel's new time and may take their place.
  node_index cut = no_node;
  for (std::uint64_t todo = occupied_levels_; todo != 0; todo &= todo - 1) {
    unsigned level = static_cast<unsigned>(std::countr_zero(todo));
    if (level > 0 && (current_ >> (level * slot_bits)) == (target >> (level * slot_bits))) break;
    for (std::uint64_t slots_begun = begun(level, target); slots_begun != 0; slots_begun &= slots_begun - 1) {
      std::uint32_t location = level * slots + static_cast<unsigned>(std::countr_zero(slots_begun));
      // Chains of cut-off slots hang together through the first node's unused `previous`.
      nodes_[heads_[location]].previous = cut;
      cut = heads_[location];
      heads_[location] = no_node;
      clear_if_empty(location);
    }
  }
  current_ = target;
  while (cut != no_node) {
    node_index index = cut;
    cut = nodes_[index].previous;
    while (index != no_node) {
      node& each = nodes_[index];
      node_index next = each.next;
      if (next != no_node) __builtin_prefetch(&nodes_[next], 1);
      each.location = nowhere;
      if (!take(index, each)) insert(index, each, deadline_of(each.pair));
      index = next;
    }
  }
}

template <class Nodes, class Traits>
nanoseconds_t hierarchical_wheel<Nodes, Traits>::slot_start(unsigned level, unsigned slot) const noexcept {
  unsigned low = level * slot_bits, above = low + slot_bits;
  std::uint64_t turn = above >= 64 ? 0 : current_ >> above << above;
  return to_signed((turn | std::uint64_t{slot} << low) << shift_);
}

template <class Nodes, class Traits>
std::optional<nanoseconds_t> hierarchical_wheel<Nodes, Traits>::next_bound() const noexcept {
  if (occupied_levels_ == 0) return std::nullopt;
  unsigned level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
  unsigned slot = static_cast<unsigned>(std::countr_zero(occupied_[level]));
  // The current slot also holds what was past when it was filed.
  if (level == 0 && slot == digit(current_, 0)) return INT64_MIN;
  return grid_.round_up(slot_start(level, slot));
}

template <class Nodes, class Traits>
template <class Gone>
std::optional<nanoseconds_t> hierarchical_wheel<Nodes, Traits>::next_exact(Gone&& gone) {
  int looks = exact_look_limit;
  while (occupied_levels_ != 0) {
    unsigned level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
    std::uint32_t location = level * slots + static_cast<unsigned>(std::countr_zero(occupied_[level]));
    std::optional<nanoseconds_t> earliest;
    for (node_index index = heads_[location]; index != no_node;) {
      if (looks-- == 0) return next_bound();
      node& each = nodes_[index];
      node_index here = index;
      index = each.next;
      if (gone(here, each)) continue;
      nanoseconds_t deadline = deadline_of(each.pair);
      if (slot_for(deadline) != location) {
        unlink(each);
        insert(here, each, deadline);
      } else if (!earliest || deadline < *earliest) {
        earliest = deadline;
      }
    }
    if (earliest) return earliest;
  }
  return std::nullopt;
}

template <class Nodes, class Traits>
bool hierarchical_wheel<Nodes, Traits>::check_invariants() const noexcept {
  Nodes nodes = nodes_;
  for (std::uint32_t location = 0; location < heads_.size(); ++location) {
    bool marked = (occupied_[location / slots] >> (location % slots) & 1) != 0;
    if (marked != (heads_[location] != no_node)) return false;
    node_index before = no_node;
    for (node_index index = heads_[location]; index != no_node; index = nodes[index].next) {
      if (nodes[index].previous != before || nodes[index].location != location) return false;
      before = index;
    }
  }
  for (unsigned level = 0; level < levels; ++level) {
    if ((occupied_[level] != 0) != ((occupied_levels_ >> level & 1) != 0)) return false;
  }
  return true;
}

}  // namespace detent::detail
