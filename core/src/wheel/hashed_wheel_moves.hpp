// SPDX-License-Identifier: MIT
// hashed_wheel where time moves on, and where it searches; included by hashed_wheel.hpp only.
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"
#include "wheel/hashed_wheel.hpp"

namespace detent::detail {

template <class Nodes, class Traits, class Sets>
template <bool InSets, class Take, class Between>
DETENT_NOINLINE void hashed_wheel<Nodes, Traits, Sets>::expire_due(nanoseconds_t now, Take& take, Between& between) {
  // Due nodes are cut off first, and those that take() leaves are inserted at the end, so that none is visited twice.
  earliest_.forget();
  set_index cut = cut_off_due(now);
  node_index not_yet = take_rounds(now, take);
  follow(now);
  while (cut != no_set) {
    const set_index id = cut;
    const auto& each = sets_[id];
    cut = each.older;
    if (InSets && each.uniform && each.ordered && each.size_bound() >= limits::worth_a_run) {
      due_.add(id);
      continue;
    }
    each.ordered ? take_set<true>(id, take) : take_set<false>(id, take);
  }
  for (std::uint32_t filed = 1; not_yet != no_node; ++filed) {
    const node_index here = not_yet;
    not_yet = nodes_[here].next;
    insert(here, nodes_[here], filing_time(nodes_, here, nodes_[here]), false);
    if (filed % limits::files_between == 0) between();
  }
}

template <class Nodes, class Traits, class Sets>
template <bool InOrder, class Take>
void hashed_wheel<Nodes, Traits, Sets>::take_set(set_index id, Take& take) {
  sets_.template take_all<InOrder>(id, [&](node_index index, node& taken) {
    if (take(index, taken)) return;
    const filing placed = filing_of(nodes_, index, taken);
    insert(index, taken, placed.time, InOrder && placed.in_order);
  });
}

// Takes the sets that are due out of the ring; they hang together through `older`, the earliest first.
template <class Nodes, class Traits, class Sets>
set_index hashed_wheel<Nodes, Traits, Sets>::cut_off_due(nanoseconds_t now) noexcept {
  set_index cut = no_set;
  set_index* link = &cut;
  for (set_index id = first_set(); id != no_set && sets_[id].time <= now; id = first_set()) {
    leave_ring(id);
    *link = id;
    link = &sets_[id].older;
  }
  return cut;
}

// Visits the slots in which something is due. Takes out what is, or will be within the near ticks, and returns what of
// it take() has not taken over, linked by `next`.
template <class Nodes, class Traits, class Sets>
template <class Take>
node_index hashed_wheel<Nodes, Traits, Sets>::take_rounds(nanoseconds_t now, Take& take) {
  node_index not_yet = no_node;
  while (rounds_.bound() <= now && !rounds_.empty()) {
    reached_ = now;
    const std::size_t slot = rounds_.first_slot();
    nanoseconds_t first = forever;  // of what stays
    rounds_.each(slot, [&](node_index index, node& each) {
      const nanoseconds_t time = filing_time(nodes_, index, each);
      if (time > now && slot_for(time) == slot && unit(time) - unit(now) >= near_units_) {
        first = std::min(first, key(time));
        return true;
      }
      rounds_.unlink(each);
      if (time <= now && take(index, each)) return true;
      each.next = not_yet;
      not_yet = index;
      return true;
    });
    rounds_.set_bound(slot, first);
  }
  return not_yet;
}

template <class Nodes, class Traits, class Sets>
template <class Gone>
std::optional<nanoseconds_t> hashed_wheel<Nodes, Traits, Sets>::next_exact(Gone&& gone) {
  int looks = limits::exact_looks;
  for (;;) {
    if (earliest_.is_known()) {
      node& first = earliest_.first();
      const node_index index = earliest_.index();
      const nanoseconds_t time = earliest_.time();
      if (gone(index, first)) continue;
      const filing placed = filing_of(nodes_, index, first);
      if (placed.time == time) return time;
      file_again(index, first, placed);
      continue;
    }
    if (empty()) return std::nullopt;
    if (earliest_.is_crowd()) return bound();
    const set_index id = first_set();
    const bool found = time_of(id) <= rounds_.bound() ? search_set(id, gone, looks) : search_slot(gone, looks);
    if (!found) return bound();
  }
}

// Remembers the earliest node of the first set, if there is one when all that was gone or restarted has left it.
// Returns false if there are too many to look at.
template <class Nodes, class Traits, class Sets>
template <class Gone>
bool hashed_wheel<Nodes, Traits, Sets>::search_set(set_index id, Gone& gone, int& looks) {
  const bool uniform = sets_[id].uniform;
  const nanoseconds_t time = sets_[id].time;
  node* first = nullptr;
  node_index first_index = no_node;
  nanoseconds_t first_time = forever;
  bool alone = false;
  const auto look = [&](node_index index, node& each) {
    if (looks-- == 0) return false;
    if (gone(index, each)) return true;
    const filing placed = filing_of(nodes_, index, each);
    if (uniform ? placed.time != time : unit(placed.time) >= current_) {
      file_again(index, each, placed);
    } else if (first == nullptr || placed.time <= first_time) {
      alone = first == nullptr || placed.time < first_time;
      first = &each;
      first_index = index;
      first_time = placed.time;
    }
    return !uniform || first == nullptr;
  };
  if (!sets_.each(id, look) && (!uniform || first == nullptr)) {
    earliest_.found_crowd();
    return false;
  }
  if (first == nullptr) return true;
  sets_[id].time = first_time;
  // A node that was restarted to an earlier time, without notice, has another place now.
  if (id == first_set() && first_time <= rounds_.bound())
    earliest_.found(first_index, *first, first_time,
                    alone && first_time < rounds_.bound() && (!uniform || sets_.has_one(id)));
  return true;
}

// Looks in the same way in the list of the first slot.
template <class Nodes, class Traits, class Sets>
template <class Gone>
bool hashed_wheel<Nodes, Traits, Sets>::search_slot(Gone& gone, int& looks) {
  const std::size_t slot = rounds_.first_slot();
  const nanoseconds_t bound = rounds_.bound();
  // Two instants have the last key. Once the first has come, the bound is no help: a wait for it would never end.
  const bool at_last_instant = bound == key(forever) && reached_ >= bound;
  node_index first = no_node;
  nanoseconds_t time = forever;
  bool alone = false, too_many = false;
  rounds_.each(slot, [&](node_index index, node& each) {
    too_many = !at_last_instant && looks-- == 0;
    if (too_many) return false;
    if (gone(index, each)) return true;
    const nanoseconds_t deadline = filing_time(nodes_, index, each);
    if (slot_for(deadline) != slot) {
      file_again(index, each, {deadline, false});  // restarted into another slot
    } else if (first == no_node || deadline <= time) {
      alone = first == no_node || deadline < time;
      first = index;
      time = deadline;
    }
    return true;
  });
  if (too_many) {
    earliest_.found_crowd();
    return false;
  }
  if (first == no_node) return true;
  if (key(time) != bound) {
    rounds_.set_bound(slot, key(time));
  } else if (rounds_.bound() == bound && time <= time_of(first_set())) {
    earliest_.found(first, nodes_[first], time, alone && time < time_of(first_set()));
  }
  return true;
}

template <class Nodes, class Traits, class Sets>
bool hashed_wheel<Nodes, Traits, Sets>::check_invariants() const noexcept {
  std::size_t in_ring = 0;
  for (std::uint64_t ahead = 0; ahead < ring::places; ++ahead) {
    const set_index id = ring_.at(current_ + ahead);
    if (id == no_set) continue;
    ++in_ring;
    if (ahead >= near_units_ || unit(sets_[id].time) != current_ + ahead || !sets_[id].uniform || !sets_.check(id) ||
        sets_[id].slot != ring::place_of(current_ + ahead))
      return false;
  }
  if (past_ != no_set && (++in_ring, !sets_.check(past_) || sets_[past_].slot != past_place)) return false;
  if (!ring_.check() || in_ring + due_.check() != sets_.open()) return false;
  return rounds_.check();
}

}  // namespace detent::detail
