// SPDX-License-Identifier: MIT
// The hashed wheel with rounds (Varghese and Lauck's scheme 6): slot = time modulo size, and a node stays in its slot
// until its round has come. The next rounds are kept apart, tick by tick: nodes that are due within them are not
// visited before, and fire as a whole. It does not tick either: a bitmap over the near ticks and a tournament over the
// slots' earliest deadlines find the next one, and an empty wheel costs nothing.
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"
#include "timer/tick_grid.hpp"
#include "wheel/due_sets.hpp"
#include "wheel/earliest.hpp"
#include "wheel/hierarchical_wheel.hpp"
#include "wheel/round_lists.hpp"
#include "wheel/slot_sets.hpp"
#include "wheel/unit_ring.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace detent::detail {

struct no_interlude {
  void operator()() const noexcept {}
};

struct hashed_traits {
  static constexpr unsigned ring_bits = limits::ring_bits;    // 2^n units, of which two make at least a tick
  static constexpr unsigned near_ticks = limits::near_ticks;  // a set each; more sets are open while they fire
};

// One thread. It is the same concept as hierarchical_wheel, which has the contracts and whose sets these are. The
// locations of sets lie below those of lists.
template <class Nodes, class Traits = hashed_traits, class Sets = typename hierarchical_wheel<Nodes>::sets>
class hashed_wheel {
 public:
  static constexpr std::uint32_t first_list_location = 1u << 31;

  // `slots` is a power of two. `sets` and `due` are for this wheel alone. Throws bad_alloc.
  hashed_wheel(Nodes nodes, tick_grid grid, nanoseconds_t start, std::size_t slots, Sets& sets, due_sets<Sets>& due)
      : nodes_(nodes),
        shift_(grid.unit_shift()),
        near_units_(units_of_near_ticks(grid)),
        current_(unit(start)),
        sets_(sets),
        due_(due),
        rounds_(nodes, slots) {}
  hashed_wheel(const hashed_wheel&) = delete;
  hashed_wheel& operator=(const hashed_wheel&) = delete;

  // O(1) in the near ticks; else O(log slots) if the node is its slot's earliest.
  void insert(node_index index, node& added, nanoseconds_t time, bool in_order = true) noexcept;
  void prefetch_insert(node_index index, nanoseconds_t time) const noexcept;
  void unlink(node& gone) noexcept;
  // Calls between() now and then while it re-inserts the nodes that take() left to it; these do not change in that
  // time.
  template <class Take, class Between = no_interlude>
  void expire(nanoseconds_t now, Take&& take, Between&& between = {}) {
    if (now >= bound()) return expire_due<false>(now, take, between);
    follow(now);
  }
  template <class Take, class Between = no_interlude>
  void expire_in_sets(nanoseconds_t now, Take&& take, Between&& between = {}) {
    if (now >= bound()) return expire_due<true>(now, take, between);
    follow(now);
  }
  std::optional<nanoseconds_t> next_bound() const noexcept;
  bool empty() const noexcept { return past_ == no_set && ring_.empty() && rounds_.empty(); }
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone);
  // The result of next_exact(); empty if there are too many to look at.
  const earliest& found() const noexcept { return earliest_; }
  // The node that was found to be alone was taken out and inserted again, and nothing else has changed.
  void found_alone(node_index index, node& first, nanoseconds_t time) noexcept {
    earliest_.found(index, first, time, true);
  }
  bool check_invariants() const noexcept;

 private:
  using ring = unit_ring<Traits::ring_bits>;
  static_assert(2 * Traits::near_ticks <= ring::places && Traits::near_ticks < Sets::capacity);
  static constexpr std::uint32_t past_place = ring::places;  // of the set of what was past
  // An occupied slot's key is below `forever`, which marks an empty one; the last instant is reported one early.
  static nanoseconds_t key(nanoseconds_t deadline) noexcept { return std::min(deadline, forever - 1); }
  static std::uint64_t units_of_near_ticks(tick_grid grid) noexcept {
    return base::multiply_and_shift(static_cast<std::uint64_t>(grid.tick()), Traits::near_ticks, grid.unit_shift());
  }
  std::uint64_t unit(nanoseconds_t t) const noexcept { return to_unsigned(t) >> shift_; }
  std::size_t slot_for(nanoseconds_t deadline) const noexcept {
    return static_cast<std::size_t>(unit(deadline)) & (rounds_.slots() - 1);
  }

  // The set that comes first, and its time. no_set: all nodes, if there are any, are in the slots' lists.
  set_index first_set() const noexcept {
    return past_ != no_set ? past_ : ring_.empty() ? no_set : ring_.first(current_);
  }
  nanoseconds_t time_of(set_index id) const noexcept { return id == no_set ? forever : sets_[id].time; }
  // next_bound(), but `forever` if the wheel is empty.
  nanoseconds_t bound() const noexcept { return std::min(time_of(first_set()), rounds_.bound()); }
  set_index set_for(nanoseconds_t time) noexcept;
  set_index past_set_for(nanoseconds_t time) noexcept;
  void insert_far(node_index index, node& added, nanoseconds_t time) noexcept;
  void insert_specially(node_index index, node& added, nanoseconds_t time, bool in_order) noexcept;
  void leave_ring(set_index id) noexcept;
  void drop(set_index emptied) noexcept;

  void follow(nanoseconds_t now) noexcept { current_ = std::max(unit(now), current_); }
  template <bool InSets, class Take, class Between>
  void expire_due(nanoseconds_t now, Take& take, Between& between);
  template <bool InOrder, class Take>
  void take_set(set_index id, Take& take);
  set_index cut_off_due(nanoseconds_t now) noexcept;
  template <class Take>
  node_index take_rounds(nanoseconds_t now, Take& take);
  // A node that was restarted since, without notice, comes after others that have been armed before.
  DETENT_NOINLINE void file_again(node_index index, node& restarted, const filing& placed) noexcept {
    unlink(restarted);
    insert(index, restarted, placed.time, false);
  }
  template <class Gone>
  bool search_set(set_index id, Gone& gone, int& looks);
  template <class Gone>
  bool search_slot(Gone& gone, int& looks);

  Nodes nodes_;
  unsigned shift_;
  std::uint64_t near_units_;
  std::uint64_t current_;              // the unit that the wheel has reached: no set of the ring is before it
  nanoseconds_t reached_ = INT64_MIN;  // when a slot came due last
  set_index past_ = no_set;            // nodes that were past when they were inserted
  Sets& sets_;
  due_sets<Sets>& due_;
  earliest earliest_;
  ring ring_;                                       // the sets of the near ticks, each with one deadline
  round_lists<Nodes, first_list_location> rounds_;  // nodes that are further away, by slots
};

template <class Nodes, class Traits, class Sets>
inline void hashed_wheel<Nodes, Traits, Sets>::insert(node_index index, node& added, nanoseconds_t time,
                                                      bool in_order) noexcept {
  const std::uint64_t wanted = unit(time);
  if (wanted - current_ < near_units_) {
    const set_index id = ring_.at(wanted);
    if (sets_[id].takes(time) && in_order) [[likely]] {
      sets_.append(id, index, added);
      return earliest_.inserted(index, added, time);
    }
  } else if (wanted > current_) {
    return insert_far(index, added, time);
  }
  insert_specially(index, added, time, in_order);
}

template <class Nodes, class Traits, class Sets>
DETENT_NOINLINE void hashed_wheel<Nodes, Traits, Sets>::insert_specially(node_index index, node& added,
                                                                         nanoseconds_t time, bool in_order) noexcept {
  const set_index id = set_for(time);
  if (id == no_set) return insert_far(index, added, time);
  if (!in_order) sets_[id].ordered = false;
  sets_.append(id, index, added);
  earliest_.inserted(index, added, time);
}

// Puts it into its slot's list.
template <class Nodes, class Traits, class Sets>
inline void hashed_wheel<Nodes, Traits, Sets>::insert_far(node_index index, node& added, nanoseconds_t time) noexcept {
  if (rounds_.insert(slot_for(time), index, added, key(time))) earliest_.slot_opened();
  earliest_.inserted(index, added, time);
}

// no_set: it belongs in its slot's list, because it is far, or because there is no set.
template <class Nodes, class Traits, class Sets>
set_index hashed_wheel<Nodes, Traits, Sets>::set_for(nanoseconds_t time) noexcept {
  const std::uint64_t wanted = unit(time);
  if (wanted < current_) return past_set_for(time);
  if (wanted - current_ >= near_units_) return no_set;
  set_index id = ring_.at(wanted);
  if (id == no_set) {
    if (sets_.open() == Sets::capacity) return no_set;
    id = sets_.make(ring::place_of(wanted), time);
    ring_.put(wanted, id);
    earliest_.slot_opened();
  }
  return sets_[id].takes(time) ? id : no_set;
}

// It gets a set of its own, because a slot's list may hold many nodes that are due much later.
template <class Nodes, class Traits, class Sets>
set_index hashed_wheel<Nodes, Traits, Sets>::past_set_for(nanoseconds_t time) noexcept {
  if (past_ == no_set) {
    if (sets_.open() == Sets::capacity) return no_set;
    past_ = sets_.make(past_place, time);
    earliest_.slot_opened();
  }
  auto& past = sets_[past_];
  past.uniform &= past.time == time;
  past.time = std::min(past.time, time);
  if (past.next == slot_set_most) past.begin_again();
  return past_;
}

template <class Nodes, class Traits, class Sets>
void hashed_wheel<Nodes, Traits, Sets>::prefetch_insert(node_index index, nanoseconds_t time) const noexcept {
  const std::uint64_t wanted = unit(time);
  const set_index id = wanted - current_ < near_units_ ? ring_.at(wanted) : no_set;
  const node_index neighbour = id == no_set ? rounds_.neighbour(slot_for(time), index) : sets_.neighbour_of_next(id);
  if (neighbour != no_node) base::prefetch_to_write(&nodes_[neighbour]);
}

// Handles a set that is the ring's, or the set of past nodes.
template <class Nodes, class Traits, class Sets>
void hashed_wheel<Nodes, Traits, Sets>::leave_ring(set_index id) noexcept {
  if (id == past_) {
    past_ = no_set;
  } else {
    ring_.clear(sets_[id].slot);
  }
}

// Handles a set whose last node has been taken out.
template <class Nodes, class Traits, class Sets>
DETENT_NOINLINE void hashed_wheel<Nodes, Traits, Sets>::drop(set_index emptied) noexcept {
  leave_ring(emptied);
  sets_.close(emptied);
}

template <class Nodes, class Traits, class Sets>
inline void hashed_wheel<Nodes, Traits, Sets>::unlink(node& gone) noexcept {
  if (rounds_.contains(gone)) {
    rounds_.unlink(gone);
  } else if (sets_.unlink(gone)) [[unlikely]] {
    drop(sets_.set_of(gone));
  }
  earliest_.unlinked(gone);
  gone.location = nowhere;
}

template <class Nodes, class Traits, class Sets>
std::optional<nanoseconds_t> hashed_wheel<Nodes, Traits, Sets>::next_bound() const noexcept {
  if (empty()) return std::nullopt;
  return bound();
}

}  // namespace detent::detail

#include "wheel/hashed_wheel_moves.hpp"
