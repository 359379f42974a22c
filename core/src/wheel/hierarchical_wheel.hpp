// SPDX-License-Identifier: MIT
// Hierarchical timing wheels (Varghese and Lauck, scheme 7) with bitmaps. The highest bit in which a node's deadline
// and the wheel's time differ gives its slot, so every slot of a level precedes every slot of the level above. No
// ticks: counting trailing zeros finds the next expiry; a jump of five years visits occupied slots only.
#pragma once

#include "timer/tick_grid.hpp"
#include "wheel/slot_list.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace detent::detail {

struct hierarchical_traits {
  static constexpr unsigned slot_bits = 6;   // 1 to 6: 2^n slots a level, and as many levels as 64 bits need
  static constexpr unsigned chain_bits = 3;  // 2^n lists a slot
};

// One thread. Nodes is a reference-like type with `node& operator[](node_index)`, and filing_time() where a node is not
// due by its deadline.
//
// A slot's nodes are spread over several lists: a list is walked no faster than memory answers, node by node, but
// several are walked at once. Locations are counted from FirstLocation on.
template <class Nodes, class Traits = hierarchical_traits, std::uint32_t FirstLocation = 0>
class hierarchical_wheel {
 public:
  static constexpr unsigned slot_bits = Traits::slot_bits;
  static constexpr unsigned slots = 1u << slot_bits;
  static constexpr unsigned chains = 1u << Traits::chain_bits;
  static constexpr unsigned levels = (64 + slot_bits - 1) / slot_bits;
  static_assert(slot_bits >= 1 && slot_bits <= 6, "one bitmap a level is one word");

  hierarchical_wheel(Nodes nodes, tick_grid grid, nanoseconds_t start) noexcept
      : nodes_(nodes), grid_(grid), shift_(grid.unit_shift()), current_(unit(grid.round_down(start))) {
    heads_.fill(no_node);
  }

  // Files a node under `deadline`; sets its location. O(1), touches one neighbour.
  void insert(node_index index, node& added, nanoseconds_t deadline) noexcept {
    link(list_for(index, deadline), index, added);
  }
  // Fetches what an insert would touch beside the node.
  void prefetch_insert(node_index index, nanoseconds_t deadline) const noexcept {
    node_index head = heads_[list_for(index, deadline)];
    if (head != no_node) __builtin_prefetch(&nodes_[head], 1);
  }
  // Takes a node out. O(1).
  void unlink(node& gone) noexcept;
  // Moves the wheel to `now` (never back) and hands every node whose slot has begun to take(index, node): true takes
  // it over, false re-inserts it under its deadline as it is then. O(1) if no slot has begun.
  template <class Take>
  void expire(nanoseconds_t now, Take&& take) {
    if (now >= next_) return expire_begun(now, take);
    // Off the grid the wheel's time may be earlier: only exact ticks are cheap to round.
    if (grid_.exact() && unit(now) > current_) current_ = unit(now);
  }
  // No node is due before this; none: empty; the earliest time of all where something is due already. O(1).
  std::optional<nanoseconds_t> next_bound() const noexcept;
  bool empty() const noexcept { return occupied_levels_ == 0; }
  // The same, exact where few nodes share the earliest slot. Re-inserts what was restarted, and hands each node that
  // it scans to gone(index, node): true drops it from the wheel.
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone);
  // Whether every link, bitmap and location agrees; for tests.
  bool check_invariants() const noexcept;

 private:
  using list = slot_list<Nodes>;
  // Per highest bit that differs: the level's first slot, and how far to shift for the digit.
  struct level_place {
    std::uint16_t first_slot;
    std::uint8_t shift;
  };
  static constexpr std::array<level_place, 64> places = [] {
    std::array<level_place, 64> made{};
    for (unsigned bit = 0; bit < 64; ++bit) {
      made[bit].first_slot = static_cast<std::uint16_t>(bit / slot_bits * slots);
      made[bit].shift = static_cast<std::uint8_t>(bit / slot_bits * slot_bits);
    }
    return made;
  }();

  std::uint64_t unit(nanoseconds_t t) const noexcept { return to_unsigned(t) >> shift_; }
  static unsigned digit(std::uint64_t unit, unsigned level) noexcept {
    return static_cast<unsigned>(unit >> (level * slot_bits)) & (slots - 1);
  }
  std::uint32_t slot_for(nanoseconds_t deadline) const noexcept;
  // Lists are numbered through all slots, which are numbered through all levels.
  std::uint32_t list_for(node_index index, nanoseconds_t deadline) const noexcept {
    return slot_for(deadline) * chains + index % chains;
  }
  std::uint64_t begun(unsigned level, std::uint64_t target) const noexcept;
  nanoseconds_t slot_start(unsigned level, unsigned slot) const noexcept;
  // Of the first occupied slot; there is one.
  nanoseconds_t first_begin() const noexcept;
  template <class Take>
  void expire_begun(nanoseconds_t now, Take& take);
  node_index cut_off_begun(std::uint64_t target) noexcept;
  void mark_occupied(std::uint32_t slot) noexcept;
  void clear_if_empty(std::uint32_t slot) noexcept;
  void link(std::uint32_t location, node_index index, node& added) noexcept;

  Nodes nodes_;
  tick_grid grid_;
  unsigned shift_;
  std::uint64_t current_;                 // the unit that the wheel has reached
  mutable nanoseconds_t next_ = forever;  // no slot begins before
  mutable bool next_is_exact_ = true;     // no slot has become empty since it was found
  std::uint64_t occupied_levels_ = 0;     // bit n: some slot of level n is occupied
  static_assert(levels <= 64, "one bit a level");
  std::array<std::uint64_t, levels> occupied_{};
  std::array<node_index, std::size_t{levels} * slots * chains> heads_;
};

template <class Nodes, class Traits, std::uint32_t FirstLocation>
std::uint32_t hierarchical_wheel<Nodes, Traits, FirstLocation>::slot_for(nanoseconds_t deadline) const noexcept {
  std::uint64_t wanted = unit(deadline);
  // What is past belongs to the slot that is due now, the current one of the lowest level.
  if (wanted <= current_) return digit(current_, 0);
  const level_place& place = places[63u - static_cast<unsigned>(std::countl_zero(wanted ^ current_))];
  return place.first_slot + (static_cast<std::uint32_t>(wanted >> place.shift) & (slots - 1));
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
void hierarchical_wheel<Nodes, Traits, FirstLocation>::link(std::uint32_t location, node_index index,
                                                            node& added) noexcept {
  added.location = FirstLocation + location;
  if (list::push_front(nodes_, heads_[location], index, added)) mark_occupied(location / chains);
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
void hierarchical_wheel<Nodes, Traits, FirstLocation>::mark_occupied(std::uint32_t slot) noexcept {
  unsigned level = slot / slots;
  occupied_[level] |= std::uint64_t{1} << (slot % slots);
  occupied_levels_ |= std::uint64_t{1} << level;
  next_ = std::min(next_, slot_start(level, slot % slots));
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
void hierarchical_wheel<Nodes, Traits, FirstLocation>::clear_if_empty(std::uint32_t slot) noexcept {
  for (std::uint32_t each = slot * chains; each < (slot + 1) * chains; ++each) {
    if (heads_[each] != no_node) return;
  }
  std::uint64_t& level = occupied_[slot / slots];
  level &= ~(std::uint64_t{1} << (slot % slots));
  if (level == 0) occupied_levels_ &= ~(std::uint64_t{1} << (slot / slots));
  next_is_exact_ = false;
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
void hierarchical_wheel<Nodes, Traits, FirstLocation>::unlink(node& gone) noexcept {
  const std::uint32_t location = gone.location - FirstLocation;
  DETENT_ASSERT(location < heads_.size());
  if (list::unlink(nodes_, heads_[location], gone)) clear_if_empty(location / chains);
  gone.location = nowhere;
}

// The occupied slots of a level whose first unit is not after `target`.
template <class Nodes, class Traits, std::uint32_t FirstLocation>
std::uint64_t hierarchical_wheel<Nodes, Traits, FirstLocation>::begun(unsigned level,
                                                                      std::uint64_t target) const noexcept {
  unsigned above = (level + 1) * slot_bits;
  bool same_turn = above >= 64 || (current_ >> above) == (target >> above);
  if (!same_turn) return occupied_[level];
  unsigned last = digit(target, level);
  return occupied_[level] & (~std::uint64_t{0} >> (63 - last));
}

// Takes the lists of the begun slots out of the wheel; they hang together through their first nodes' `previous`, which
// is not needed there. Returns the first.
template <class Nodes, class Traits, std::uint32_t FirstLocation>
node_index hierarchical_wheel<Nodes, Traits, FirstLocation>::cut_off_begun(std::uint64_t target) noexcept {
  node_index cut = no_node;
  for (std::uint64_t todo = occupied_levels_; todo != 0; todo &= todo - 1) {
    unsigned level = static_cast<unsigned>(std::countr_zero(todo));
    if (level > 0 && (current_ >> (level * slot_bits)) == (target >> (level * slot_bits))) break;
    std::uint64_t slots_begun = begun(level, target);
    occupied_[level] &= ~slots_begun;
    if (occupied_[level] == 0) occupied_levels_ &= ~(std::uint64_t{1} << level);
    for (; slots_begun != 0; slots_begun &= slots_begun - 1) {
      std::uint32_t slot = level * slots + static_cast<unsigned>(std::countr_zero(slots_begun));
      for (std::uint32_t each = slot * chains; each < (slot + 1) * chains; ++each) {
        if (heads_[each] == no_node) continue;
        nodes_[heads_[each]].previous = cut;
        cut = std::exchange(heads_[each], no_node);
      }
    }
  }
  return cut;
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
template <class Take>
void hierarchical_wheel<Nodes, Traits, FirstLocation>::expire_begun(nanoseconds_t now, Take& take) {
  std::uint64_t target = std::max(unit(grid_.round_down(now)), current_);
  // The begun slots are cut off first, as what is re-inserted belongs to the wheel's new time and may take their place.
  node_index cut = cut_off_begun(target);
  current_ = target;
  next_ = occupied_levels_ == 0 ? forever : first_begin();
  next_is_exact_ = true;
  // Lanes walk the lists side by side; one that comes to an end begins another list.
  constexpr unsigned width = 8;
  std::array<node_index, width> lanes;
  unsigned active = 0;
  auto next_list = [&] { return std::exchange(cut, nodes_[cut].previous); };
  while (active < width && cut != no_node) lanes[active++] = next_list();
  for (unsigned lane = 0; active != 0; lane = lane + 1 < active ? lane + 1 : 0) {
    node_index index = lanes[lane];
    node& each = nodes_[index];
    node_index next = each.next;
    if (next == no_node && cut != no_node) next = next_list();
    if (next != no_node) {
      __builtin_prefetch(&nodes_[next], 1);
      lanes[lane] = next;
    } else {
      lanes[lane] = lanes[--active];
    }
    each.location = nowhere;
    if (!take(index, each)) insert(index, each, filing_time(nodes_, index, each));
  }
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
nanoseconds_t hierarchical_wheel<Nodes, Traits, FirstLocation>::slot_start(unsigned level,
                                                                           unsigned slot) const noexcept {
  // The current slot also holds what was past when it was inserted.
  if (level == 0 && slot == digit(current_, 0)) return INT64_MIN;
  unsigned low = level * slot_bits, above = low + slot_bits;
  std::uint64_t turn = above >= 64 ? 0 : current_ >> above << above;
  return grid_.round_up(to_signed((turn | std::uint64_t{slot} << low) << shift_));
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
nanoseconds_t hierarchical_wheel<Nodes, Traits, FirstLocation>::first_begin() const noexcept {
  unsigned level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
  unsigned slot = static_cast<unsigned>(std::countr_zero(occupied_[level]));
  return slot_start(level, slot);
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
std::optional<nanoseconds_t> hierarchical_wheel<Nodes, Traits, FirstLocation>::next_bound() const noexcept {
  if (occupied_levels_ == 0) return std::nullopt;
  if (!std::exchange(next_is_exact_, true)) next_ = first_begin();
  return next_;
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
template <class Gone>
std::optional<nanoseconds_t> hierarchical_wheel<Nodes, Traits, FirstLocation>::next_exact(Gone&& gone) {
  int looks = exact_look_limit;
  while (occupied_levels_ != 0) {
    unsigned level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
    std::uint32_t slot = level * slots + static_cast<unsigned>(std::countr_zero(occupied_[level]));
    std::optional<nanoseconds_t> earliest;
    for (std::uint32_t each_list = slot * chains; each_list < (slot + 1) * chains; ++each_list) {
      for (node_index index = heads_[each_list]; index != no_node;) {
        // The last unit also holds `forever`, which is due later: there the bound is no help.
        if (current_ != unit(forever) && looks-- == 0) return next_bound();
        node& each = nodes_[index];
        node_index here = std::exchange(index, each.next);
        if (gone(here, each)) continue;
        nanoseconds_t deadline = filing_time(nodes_, here, each);
        if (slot_for(deadline) != slot) {
          unlink(each);
          insert(here, each, deadline);
        } else if (!earliest || deadline < *earliest) {
          earliest = deadline;
        }
      }
    }
    if (earliest) return earliest;
  }
  return std::nullopt;
}

template <class Nodes, class Traits, std::uint32_t FirstLocation>
bool hierarchical_wheel<Nodes, Traits, FirstLocation>::check_invariants() const noexcept {
  Nodes nodes = nodes_;
  std::array<std::uint64_t, levels> found{};
  for (std::uint32_t location = 0; location < heads_.size(); ++location) {
    std::uint32_t slot = location / chains;
    if (heads_[location] != no_node) found[slot / slots] |= std::uint64_t{1} << (slot % slots);
    node_index before = no_node;
    for (node_index index = heads_[location]; index != no_node; index = nodes[index].next) {
      if (nodes[index].previous != before || nodes[index].location != FirstLocation + location) return false;
      before = index;
    }
  }
  for (unsigned level = 0; level < levels; ++level) {
    if ((occupied_[level] != 0) != ((occupied_levels_ >> level & 1) != 0)) return false;
  }
  return found == occupied_ &&
         (occupied_levels_ == 0 || (next_is_exact_ ? next_ == first_begin() : next_ <= first_begin()));
}

}  // namespace detent::detail
