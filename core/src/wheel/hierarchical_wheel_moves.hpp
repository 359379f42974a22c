// SPDX-License-Identifier: MIT
// hierarchical_wheel where time moves on, and where it searches; included by hierarchical_wheel.hpp only.
#pragma once

#include "limits.hpp"
#include "wheel/hierarchical_wheel.hpp"

namespace detent::detail {

// Takes the sets of the begun slots out of the wheel, the last slots first; they hang together through `older`.
template <class Nodes, class Traits>
set_index hierarchical_wheel<Nodes, Traits>::cut_off_begun(std::uint64_t target) noexcept {
  set_index cut = no_set;
  for (std::uint64_t todo = occupied_levels_; todo != 0; todo &= todo - 1) {
    unsigned level = static_cast<unsigned>(std::countr_zero(todo));
    if (level > 0 && (current_ >> (level * slot_bits)) == (target >> (level * slot_bits))) break;
    std::uint64_t slots_begun = begun(level, target);
    occupied_[level] &= ~slots_begun;
    if (occupied_[level] == 0) occupied_levels_ &= ~(std::uint64_t{1} << level);
    for (; slots_begun != 0; slots_begun &= slots_begun - 1)
      cut = cut_off(level * slots + static_cast<unsigned>(std::countr_zero(slots_begun)), cut);
  }
  return cut;
}

// Puts the sets of a slot, the oldest first, before those that are cut off already.
template <class Nodes, class Traits>
set_index hierarchical_wheel<Nodes, Traits>::cut_off(std::uint32_t slot, set_index cut) noexcept {
  set_index id = std::exchange(newest_[slot], no_set);
  while (id != no_set) {
    const set_index older = std::exchange(sets_[id].older, cut);
    cut = id;
    id = older;
  }
  return cut;
}

template <class Nodes, class Traits>
template <bool InSets, class Take>
void hierarchical_wheel<Nodes, Traits>::expire_begun(nanoseconds_t now, Take& take) {
  std::uint64_t target = std::max(unit(grid_.round_down(now)), current_);
  // The begun slots are cut off first, as what is re-inserted belongs to the wheel's new time and may take their place.
  set_index cut = cut_off_begun(target);
  current_ = target;
  next_ = occupied_levels_ == 0 ? forever : first_begin();
  next_is_exact_ = true;
  earliest_.forget();
  while (cut != no_set) {
    const set_index id = cut;
    const auto& each = sets_[id];
    cut = each.older;
    if (each.uniform) {
      if (each.time > now) {
        if (move_whole(id)) continue;
      } else if (InSets && each.ordered && each.size_bound() >= limits::worth_a_run && has_room()) {
        due_.add(id);
        continue;
      }
    }
    each.ordered ? take_set<true>(id, take) : take_set<false>(id, take);
  }
}

template <class Nodes, class Traits>
template <bool InOrder, class Take>
void hierarchical_wheel<Nodes, Traits>::take_set(set_index id, Take& take) {
  sets_.template take_all<InOrder>(id, [&](node_index index, node& each) {
    if (take(index, each)) return;
    const filing placed = nodes_.filing_of(index, each);
    insert(index, each, placed.time, InOrder && placed.in_order);
  });
}

// Moves a uniform set to the slot that its time belongs to now. Returns false if that slot has a set, and there is no
// room for more.
template <class Nodes, class Traits>
bool hierarchical_wheel<Nodes, Traits>::move_whole(set_index id) noexcept {
  auto& moved = sets_[id];
  const std::uint32_t slot = slot_for(moved.time);
  if (newest_[slot] == no_set) {
    mark_occupied(slot);
  } else if (!has_room()) {
    return false;
  }
  moved.slot = slot;
  moved.older = std::exchange(newest_[slot], id);
  return true;
}

template <class Nodes, class Traits>
template <class Gone>
std::optional<nanoseconds_t> hierarchical_wheel<Nodes, Traits>::next_exact(Gone&& gone, int looks) {
  const bool all = looks == look_at_all;
  while (occupied_levels_ != 0) {
    if (earliest_.is_known()) {
      node& first = earliest_.first();
      const node_index index = earliest_.index();
      const nanoseconds_t time = earliest_.time();
      if (gone(index, first)) continue;
      const filing placed = nodes_.filing_of(index, first);
      if (placed.time == time) return time;
      file_again(index, first, placed);
    } else if ((earliest_.is_crowd() && !all) || !search_first_slot(gone, looks)) {
      return next_bound();
    }
  }
  return std::nullopt;
}

// Remembers the earliest node of the first occupied slot, if there is one when all that was gone or restarted has left
// it. Returns false if there are too many to look at.
template <class Nodes, class Traits>
template <class Gone>
bool hierarchical_wheel<Nodes, Traits>::search_first_slot(Gone& gone, int& looks) {
  const std::uint32_t slot = first_slot();
  // The last unit also holds `forever`, which is due later: there the bound is no help.
  const bool all = current_ == unit(forever);
  node* first = nullptr;
  node_index first_index = no_node;
  nanoseconds_t time = 0;
  bool alone = false, too_many = false;
  const auto look = [&](node_index index, node& each) {
    too_many = !all && looks-- == 0;
    if (too_many) return false;
    if (gone(index, each)) return true;
    set_index id = sets_.set_of(each);
    const bool uniform = sets_[id].uniform;
    const filing placed = nodes_.filing_of(index, each);
    const bool restarted = uniform ? placed.time != sets_[id].time : slot_for(placed.time) != slot;
    if (restarted) {
      file_again(index, each, placed);
      // In this slot it is in a set that the search has behind it: this is the only look at it.
      if (slot_of(each) > slot) return true;
      id = sets_.set_of(each);
    }
    if (first == nullptr || placed.time <= time) {
      alone = (first == nullptr || placed.time < time) && (!sets_[id].uniform || sets_.has_one(id));
      first = &each;
      first_index = index;
      time = placed.time;
    }
    return restarted || !uniform;  // what is left of a uniform set is due at the same time, or later
  };
  for (set_index id = newest_[slot]; id != no_set;) {
    const set_index older = sets_[id].older;
    sets_.each(id, look);
    if (too_many) {
      earliest_.found_crowd();
      return false;
    }
    id = older;
  }
  if (first != nullptr) earliest_.found(first_index, *first, time, alone);
  return true;
}

template <class Nodes, class Traits>
bool hierarchical_wheel<Nodes, Traits>::check_invariants() const noexcept {
  std::array<std::uint64_t, levels> found{};
  std::size_t in_slots = 0;
  for (std::uint32_t slot = 0; slot < all_slots; ++slot) {
    if (newest_[slot] != no_set) found[slot / slots] |= std::uint64_t{1} << (slot % slots);
    for (set_index id = newest_[slot]; id != no_set; id = sets_[id].older, ++in_slots) {
      if (sets_[id].slot != slot || !sets_.check(id)) return false;
    }
  }
  for (unsigned level = 0; level < levels; ++level) {
    if ((occupied_[level] != 0) != ((occupied_levels_ >> level & 1) != 0)) return false;
  }
  return found == occupied_ && in_slots + due_.check() == sets_.open() &&
         (occupied_levels_ == 0 || (next_is_exact_ ? next_ == first_begin() : next_ <= first_begin()));
}

}  // namespace detent::detail
