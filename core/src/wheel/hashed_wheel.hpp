// SPDX-License-Identifier: MIT
// The hashed wheel with rounds (Varghese and Lauck's scheme 6): slot = time modulo size, and a node stays in its slot
// until its round has come. Nodes that are due within the next rounds are in another wheel: they are not visited before
// their time, and fire as a whole. It does not tick either: a tournament over the slots' earliest deadlines finds the
// next one, and an empty wheel costs nothing.
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"
#include "timer/tick_grid.hpp"
#include "wheel/earliest.hpp"
#include "wheel/hierarchical_wheel.hpp"
#include "wheel/round_lists.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace detent::detail {

struct no_interlude {
  void operator()() const noexcept {}
};

// One thread. It is the same concept as hierarchical_wheel, which has the contracts, and which keeps what is near. A
// node that was restarted there stays there, however far it is then.
template <class Nodes, unsigned NearTicks = limits::near_ticks>
class hashed_wheel {
 public:
  using near_wheel = hierarchical_wheel<Nodes>;
  static constexpr std::uint32_t first_list_location = 1u << 31;

  // `slots` is a power of two. `near` is for this wheel alone. Throws bad_alloc.
  hashed_wheel(Nodes nodes, tick_grid grid, nanoseconds_t start, std::size_t slots, near_wheel& near)
      : nodes_(nodes),
        shift_(grid.unit_shift()),
        near_units_(base::multiply_and_shift(static_cast<std::uint64_t>(grid.tick()), NearTicks, grid.unit_shift())),
        current_(unit(start)),
        near_(near),
        rounds_(nodes, slots) {}
  hashed_wheel(const hashed_wheel&) = delete;
  hashed_wheel& operator=(const hashed_wheel&) = delete;

  // O(1) in the near ticks; else O(log slots) if the node is its slot's earliest.
  void insert(node_index index, node& added, nanoseconds_t time, bool in_order = true) noexcept {
    if (is_near(time, current_)) return near_.insert(index, added, time, in_order);
    if (rounds_.insert(slot_for(time), index, added, key(time))) earliest_.slot_opened();
    earliest_.inserted(index, added, time);
  }
  void prefetch_insert(node_index index, nanoseconds_t time) const noexcept {
    if (is_near(time, current_)) return near_.prefetch_insert(index, time);
    if (const node_index neighbour = rounds_.neighbour(slot_for(time), index); neighbour != no_node)
      base::prefetch_to_write(&nodes_[neighbour]);
  }
  void unlink(node& gone) noexcept {
    if (!rounds_.contains(gone)) return near_.unlink(gone);
    rounds_.unlink(gone);
    earliest_.unlinked(gone);
  }
  // Calls between() now and then while it re-inserts the nodes that take() left to it; these do not change in that
  // time.
  template <class Take, class Between = no_interlude>
  void expire(nanoseconds_t now, Take&& take, Between&& between = {}) {
    const node_index not_yet = take_rounds(now, take);
    near_.expire(now, take);
    file(not_yet, now, between);
  }
  // Not inlined, so that a pass of the other wheel is not burdened with it.
  template <class Take, class Between = no_interlude>
  DETENT_NOINLINE void expire_in_sets(nanoseconds_t now, Take&& take, Between&& between = {}) {
    const node_index not_yet = take_rounds(now, take);
    near_.expire_in_sets(now, take);
    file(not_yet, now, between);
  }
  std::optional<nanoseconds_t> next_bound() const noexcept {
    const std::optional<nanoseconds_t> near = near_.next_bound();
    if (rounds_.empty()) return near;
    return std::min(near.value_or(forever), rounds_.bound());
  }
  bool empty() const noexcept { return near_.empty() && rounds_.empty(); }
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone, int looks = limits::exact_looks);
  // The result of next_exact(); empty if there are too many to look at.
  const earliest& found() const noexcept {
    const earliest& near = near_.found();
    return near.is_known() && near.time() <= rounds_.bound() ? near : earliest_;
  }
  const earliest* next_alone() const noexcept {
    const earliest& first = found();
    const nanoseconds_t others = &first == &earliest_ ? near_.next_bound().value_or(forever) : rounds_.bound();
    return first.is_known() && first.alone() && first.time() < others ? &first : nullptr;
  }
  // The node that was found to be alone was taken out and inserted again, and nothing else has changed.
  void found_alone(node_index index, node& first, nanoseconds_t time) noexcept {
    rounds_.contains(first) ? earliest_.found(index, first, time, true) : near_.found_alone(index, first, time);
  }
  bool check_invariants() const noexcept { return near_.check_invariants() && rounds_.check(); }

 private:
  // An occupied slot's key is below `forever`, which marks an empty one; the last instant is reported one early, and is
  // near by then.
  static_assert(NearTicks >= 2);
  static nanoseconds_t key(nanoseconds_t deadline) noexcept { return std::min(deadline, forever - 1); }
  std::uint64_t unit(nanoseconds_t t) const noexcept { return to_unsigned(t) >> shift_; }
  std::size_t slot_for(nanoseconds_t deadline) const noexcept {
    return static_cast<std::size_t>(unit(deadline)) & (rounds_.slots() - 1);
  }
  // What is past is near, too: a slot's list may hold many nodes that are due much later.
  bool is_near(nanoseconds_t time, std::uint64_t from) const noexcept {
    const std::uint64_t wanted = unit(time);
    return wanted < from || wanted - from < near_units_;
  }
  template <class Take>
  node_index take_rounds(nanoseconds_t now, Take& take);
  template <class Between>
  void file(node_index not_yet, nanoseconds_t now, Between& between);
  template <class Gone>
  bool search_slot(Gone& gone, int& looks);

  Nodes nodes_;
  unsigned shift_;
  std::uint64_t near_units_;
  std::uint64_t current_;  // the unit that the wheel has reached
  near_wheel& near_;
  round_lists<Nodes, first_list_location> rounds_;  // nodes that are further away, by slots
  earliest earliest_;                               // of those
};

// Visits the slots in which something is due. Takes out what is, or will be within the near ticks, and returns what of
// it take() has not taken over, linked by `next`: it is inserted at the end, so that none is visited twice.
template <class Nodes, unsigned NearTicks>
template <class Take>
node_index hashed_wheel<Nodes, NearTicks>::take_rounds(nanoseconds_t now, Take& take) {
  node_index not_yet = no_node;
  while (rounds_.bound() <= now && !rounds_.empty()) {
    earliest_.forget();
    const std::size_t slot = rounds_.first_slot();
    nanoseconds_t first = forever;  // of what stays
    rounds_.each(slot, [&](node_index index, node& each) {
      const nanoseconds_t time = nodes_.filing_of(index, each).time;
      if (slot_for(time) == slot && !is_near(time, unit(now))) {
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

template <class Nodes, unsigned NearTicks>
template <class Between>
void hashed_wheel<Nodes, NearTicks>::file(node_index not_yet, nanoseconds_t now, Between& between) {
  current_ = std::max(unit(now), current_);
  for (std::uint32_t filed = 1; not_yet != no_node; ++filed) {
    const node_index here = not_yet;
    not_yet = nodes_[here].next;
    insert(here, nodes_[here], nodes_.filing_of(here, nodes_[here]).time, false);
    if (filed % limits::files_between == 0) between();
  }
}

template <class Nodes, unsigned NearTicks>
template <class Gone>
std::optional<nanoseconds_t> hashed_wheel<Nodes, NearTicks>::next_exact(Gone&& gone, int looks) {
  for (const bool all = looks == look_at_all;;) {
    const std::optional<nanoseconds_t> near = near_.next_exact(gone, all ? look_at_all : limits::exact_looks);
    if (rounds_.empty() || (near && *near <= rounds_.bound())) return near;
    if (earliest_.is_known()) {
      node& first = earliest_.first();
      const node_index index = earliest_.index();
      const nanoseconds_t time = earliest_.time();
      if (gone(index, first)) continue;
      const filing placed = nodes_.filing_of(index, first);
      if (placed.time == time) return time;
      unlink(first);
      insert(index, first, placed.time, false);
    } else if ((earliest_.is_crowd() && !all) || !search_slot(gone, looks)) {
      return next_bound();
    }
  }
}

// Remembers the earliest node of the first slot, if there is one when all that was gone or restarted has left it.
// Returns false if there are too many to look at.
template <class Nodes, unsigned NearTicks>
template <class Gone>
bool hashed_wheel<Nodes, NearTicks>::search_slot(Gone& gone, int& looks) {
  const std::size_t slot = rounds_.first_slot();
  const nanoseconds_t bound = rounds_.bound();
  node_index first = no_node;
  nanoseconds_t time = forever;
  bool alone = false, too_many = false;
  rounds_.each(slot, [&](node_index index, node& each) {
    too_many = looks-- == 0;
    if (too_many) return false;
    if (gone(index, each)) return true;
    const nanoseconds_t deadline = nodes_.filing_of(index, each).time;
    if (slot_for(deadline) != slot) {  // restarted into another slot
      unlink(each);
      insert(index, each, deadline, false);
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
  } else if (rounds_.bound() == bound) {
    earliest_.found(first, nodes_[first], time, alone);
  }
  return true;
}

}  // namespace detent::detail
