// SPDX-License-Identifier: MIT
// Hierarchical timing wheels (Varghese and Lauck, scheme 7) with bitmaps. The highest bit in which a node's deadline
// and the wheel's time differ gives its slot, so every slot of a level precedes every slot of the level above. No
// ticks: counting trailing zeros finds the next expiry; a jump of five years visits occupied slots only.
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"
#include "timer/filing.hpp"
#include "timer/tick_grid.hpp"
#include "wheel/due_sets.hpp"
#include "wheel/earliest.hpp"
#include "wheel/slot_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace detent::detail {

struct hierarchical_traits {
  static constexpr unsigned slot_bits =
      limits::slot_bits;  // 1 to 6: 2^n slots a level, and as many levels as 64 bits need
  static constexpr unsigned chain_bits = limits::chain_bits;  // 2^n lists a set
};

// One thread. Nodes is a reference-like type, as node_view is: `node& operator[](node_index)`, filing_of(index, node),
// and prefetch(index, neighbour), which fetches what a visit will touch.
//
// A slot holds sets of nodes (slot_sets.hpp), as a rule one. A set whose nodes share one time goes down the levels as a
// whole, none of its nodes being touched, and may become a due set, which is fired node by node without being sorted.
template <class Nodes, class Traits = hierarchical_traits>
class hierarchical_wheel {
 public:
  static constexpr unsigned slot_bits = Traits::slot_bits;
  static constexpr unsigned slots = 1u << slot_bits;
  static constexpr unsigned levels = (64 + slot_bits - 1) / slot_bits;
  static_assert(slot_bits >= 1 && slot_bits <= 6, "one bitmap a level is one word");

  hierarchical_wheel(Nodes nodes, tick_grid grid, nanoseconds_t start) noexcept
      : nodes_(nodes), grid_(grid), shift_(grid.unit_shift()), current_(unit(grid.round_down(start))), sets_(nodes) {
    newest_.fill(no_set);
  }
  hierarchical_wheel(const hierarchical_wheel&) = delete;
  hierarchical_wheel& operator=(const hierarchical_wheel&) = delete;

  // Files a node under `time`; sets its location. `in_order`: it was armed after all that its thread has armed and that
  // were inserted before. O(1), touches one neighbour.
  void insert(node_index index, node& added, nanoseconds_t time, bool in_order = true) noexcept;
  // Fetches what an insert would touch beside the node.
  void prefetch_insert(node_index, nanoseconds_t time) const noexcept {
    const set_index id = newest_[slot_for(time)];
    if (id == no_set) return;
    if (const node_index neighbour = sets_.neighbour_of_next(id); neighbour != no_node)
      base::prefetch_to_write(&nodes_[neighbour]);
  }
  // Takes a node out. O(1).
  void unlink(node& gone) noexcept {
    if (sets_.unlink(gone)) [[unlikely]]
      drop(sets_.set_of(gone));
    earliest_.unlinked(gone);
    gone.location = nowhere;
  }
  // Moves the wheel to `now` (never back) and hands every node whose slot has begun, unless it is known not to be due,
  // to take(index, node): true takes it over, false re-inserts it under its time as it is then. O(1) if no slot has
  // begun.
  template <class Take>
  void expire(nanoseconds_t now, Take&& take) {
    if (now >= next_) return expire_begun<false>(now, take);
    follow(now);
  }
  // Does the same, but sets of some size that are due as a whole become due sets.
  template <class Take>
  void expire_in_sets(nanoseconds_t now, Take&& take) {
    if (now >= next_) return expire_begun<true>(now, take);
    follow(now);
  }
  // No node is due before this; none: empty; the earliest time of all where something is due already. O(1).
  std::optional<nanoseconds_t> next_bound() const noexcept;
  bool empty() const noexcept { return occupied_levels_ == 0; }
  // Does the same, and is exact if no more than `looks` nodes share the earliest slot. Re-inserts restarted nodes, and
  // hands each node that it scans to gone(index, node): true drops it from the wheel. O(1) while nothing changes.
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone, int looks = limits::exact_looks);
  // The result of next_exact(), until the wheel changes; empty if there are too many to look at.
  const earliest& found() const noexcept { return earliest_; }
  // Returns the one node that next_exact() has found to be due before all others, or null if there is none or it is not
  // known.
  const earliest* next_alone() const noexcept {
    return earliest_.is_known() && earliest_.alone() ? &earliest_ : nullptr;
  }
  // One that was found to be alone was taken out and inserted again, and nothing else has changed.
  void found_alone(node_index index, node& first, nanoseconds_t time) noexcept {
    earliest_.found(index, first, time, true);
  }
  // Returns the slot of an inserted node; slots are numbered through all levels.
  std::uint32_t slot_of(const node& inserted) const noexcept { return sets_[sets_.set_of(inserted)].slot; }
  // Returns whether every link, bitmap and location agrees; for tests.
  bool check_invariants() const noexcept;

  // The sets that have come due as a whole (expire_in_sets()). unlink() is not for their nodes.
  using sets = slot_sets<Nodes, 1u << Traits::chain_bits, 2 * levels * slots + limits::spare_sets>;
  due_sets<sets>& due() noexcept { return due_; }
  const due_sets<sets>& due() const noexcept { return due_; }

 private:
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
  static constexpr std::uint32_t all_slots = levels * slots;

  std::uint64_t unit(nanoseconds_t t) const noexcept { return to_unsigned(t) >> shift_; }
  static unsigned digit(std::uint64_t unit, unsigned level) noexcept {
    return static_cast<unsigned>(unit >> (level * slot_bits)) & (slots - 1);
  }
  std::uint32_t slot_for(nanoseconds_t deadline) const noexcept;
  std::uint64_t begun(unsigned level, std::uint64_t target) const noexcept;
  nanoseconds_t slot_start(unsigned level, unsigned slot) const noexcept;
  // Returns the beginning of the first occupied slot; there must be one.
  nanoseconds_t first_begin() const noexcept;
  std::uint32_t first_slot() const noexcept;
  // Off the grid the wheel's time may be earlier: only exact ticks are cheap to round.
  void follow(nanoseconds_t now) noexcept {
    if (grid_.exact() && unit(now) > current_) current_ = unit(now);
  }
  template <bool InSets, class Take>
  void expire_begun(nanoseconds_t now, Take& take);
  set_index cut_off_begun(std::uint64_t target) noexcept;
  set_index cut_off(std::uint32_t slot, set_index cut) noexcept;
  template <bool InOrder, class Take>
  void take_set(set_index id, Take& take);
  bool move_whole(set_index id) noexcept;

  // While there is room, an occupied slot may have one more set, and a set may become due as a whole. An empty slot
  // must always get its first, even while the sets of all others are being taken out.
  bool has_room() const noexcept { return sets_.open() < sets::capacity - 2 * all_slots; }
  void insert_specially(std::uint32_t slot, node_index index, node& added, nanoseconds_t time, bool in_order) noexcept;
  set_index set_beside(set_index newest, nanoseconds_t time) noexcept;
  void drop(set_index emptied) noexcept;
  void mark_occupied(std::uint32_t slot) noexcept;
  void mark_empty(std::uint32_t slot) noexcept;

  // One that was restarted since, without notice: after others that have been armed before.
  DETENT_NOINLINE void file_again(node_index index, node& restarted, const filing& placed) noexcept {
    unlink(restarted);
    insert(index, restarted, placed.time, false);
  }
  template <class Gone>
  bool search_first_slot(Gone& gone, int& looks);

  Nodes nodes_;
  tick_grid grid_;
  unsigned shift_;
  std::uint64_t current_;                 // the unit that the wheel has reached
  mutable nanoseconds_t next_ = forever;  // no slot begins before
  mutable bool next_is_exact_ = true;     // no slot has become empty since it was found
  std::uint64_t occupied_levels_ = 0;     // bit n: some slot of level n is occupied
  static_assert(levels <= 64, "one bit a level");
  std::array<std::uint64_t, levels> occupied_{};
  earliest earliest_;
  std::array<set_index, all_slots> newest_;  // of each slot; the others hang on it
  sets sets_;
  due_sets<sets> due_{sets_};
};

template <class Nodes, class Traits>
std::uint32_t hierarchical_wheel<Nodes, Traits>::slot_for(nanoseconds_t deadline) const noexcept {
  std::uint64_t wanted = unit(deadline);
  // A time that is past belongs to the slot that is due now, the current one of the lowest level.
  if (wanted <= current_) return digit(current_, 0);
  const level_place& place = places[63u - static_cast<unsigned>(std::countl_zero(wanted ^ current_))];
  return place.first_slot + (static_cast<std::uint32_t>(wanted >> place.shift) & (slots - 1));
}

template <class Nodes, class Traits>
inline void hierarchical_wheel<Nodes, Traits>::insert(node_index index, node& added, nanoseconds_t time,
                                                      bool in_order) noexcept {
  const std::uint32_t slot = slot_for(time);
  const set_index id = newest_[slot];
  if (!sets_[id].takes(time) || !in_order) [[unlikely]]
    return insert_specially(slot, index, added, time, in_order);
  sets_.append(id, index, added);
  earliest_.inserted(index, added, time);
}

// Into a slot whose newest set does not take it, or without being in order.
template <class Nodes, class Traits>
DETENT_NOINLINE void hierarchical_wheel<Nodes, Traits>::insert_specially(std::uint32_t slot, node_index index,
                                                                         node& added, nanoseconds_t time,
                                                                         bool in_order) noexcept {
  set_index id = newest_[slot];
  if (id == no_set) {
    mark_occupied(slot);
    id = newest_[slot] = sets_.make(slot, time);
  } else if (!sets_[id].takes(time)) {
    id = set_beside(id, time);
  }
  if (!in_order) sets_[id].ordered = false;
  sets_.append(id, index, added);
  earliest_.inserted(index, added, time);
}

// Chooses a set for a node whose slot's newest set is uniform under another time, or has used up its numbers. A new set
// is taken out after the older ones of its slot, which keeps the order.
template <class Nodes, class Traits>
set_index hierarchical_wheel<Nodes, Traits>::set_beside(set_index id, nanoseconds_t time) noexcept {
  auto& newest = sets_[id];
  const bool is_full = newest.next == slot_set_most;
  if (!has_room() || (!is_full && newest.size_bound() < limits::worth_a_run)) {
    newest.uniform &= newest.time == time;
    if (is_full) newest.begin_again();
    return id;
  }
  const set_index made = sets_.make(newest.slot, time);
  sets_[made].older = id;
  return newest_[newest.slot] = made;
}

template <class Nodes, class Traits>
void hierarchical_wheel<Nodes, Traits>::mark_occupied(std::uint32_t slot) noexcept {
  unsigned level = slot / slots;
  occupied_[level] |= std::uint64_t{1} << (slot % slots);
  occupied_levels_ |= std::uint64_t{1} << level;
  next_ = std::min(next_, slot_start(level, slot % slots));
  earliest_.slot_opened();
}

template <class Nodes, class Traits>
void hierarchical_wheel<Nodes, Traits>::mark_empty(std::uint32_t slot) noexcept {
  std::uint64_t& level = occupied_[slot / slots];
  level &= ~(std::uint64_t{1} << (slot % slots));
  if (level == 0) occupied_levels_ &= ~(std::uint64_t{1} << (slot / slots));
  next_is_exact_ = false;
}

// A set whose last node has been taken out.
template <class Nodes, class Traits>
void hierarchical_wheel<Nodes, Traits>::drop(set_index emptied) noexcept {
  const std::uint32_t slot = sets_[emptied].slot;
  set_index* link = &newest_[slot];
  while (*link != emptied) link = &sets_[*link].older;
  *link = sets_[emptied].older;
  if (newest_[slot] == no_set) mark_empty(slot);
  sets_.close(emptied);
}

// The occupied slots of a level whose first unit is not after `target`.
template <class Nodes, class Traits>
std::uint64_t hierarchical_wheel<Nodes, Traits>::begun(unsigned level, std::uint64_t target) const noexcept {
  unsigned above = (level + 1) * slot_bits;
  bool same_turn = above >= 64 || (current_ >> above) == (target >> above);
  if (!same_turn) return occupied_[level];
  unsigned last = digit(target, level);
  return occupied_[level] & (~std::uint64_t{0} >> (63 - last));
}

template <class Nodes, class Traits>
nanoseconds_t hierarchical_wheel<Nodes, Traits>::slot_start(unsigned level, unsigned slot) const noexcept {
  // The current slot also holds what was past when it was inserted.
  if (level == 0 && slot == digit(current_, 0)) return INT64_MIN;
  unsigned low = level * slot_bits, above = low + slot_bits;
  std::uint64_t turn = above >= 64 ? 0 : current_ >> above << above;
  return grid_.round_up(to_signed((turn | std::uint64_t{slot} << low) << shift_));
}

template <class Nodes, class Traits>
std::uint32_t hierarchical_wheel<Nodes, Traits>::first_slot() const noexcept {
  const auto level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
  return level * slots + static_cast<unsigned>(std::countr_zero(occupied_[level]));
}

template <class Nodes, class Traits>
nanoseconds_t hierarchical_wheel<Nodes, Traits>::first_begin() const noexcept {
  const std::uint32_t slot = first_slot();
  return slot_start(slot / slots, slot % slots);
}

template <class Nodes, class Traits>
std::optional<nanoseconds_t> hierarchical_wheel<Nodes, Traits>::next_bound() const noexcept {
  if (occupied_levels_ == 0) return std::nullopt;
  if (!std::exchange(next_is_exact_, true)) next_ = first_begin();
  return next_;
}

}  // namespace detent::detail

#include "wheel/hierarchical_wheel_moves.hpp"
