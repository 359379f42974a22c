// SPDX-License-Identifier: MIT
// The classic hashed wheel with rounds (Varghese and Lauck's scheme 6): slot = tick modulo size, and a node stays in
// its slot until its round has come. A tournament over the slots' earliest deadlines replaces the ticking: only slots
// in which something is due are visited, and an empty wheel costs nothing.
#pragma once

#include "timer/tick_grid.hpp"
#include "wheel/slot_list.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace detent::detail {

struct no_interlude {
  void operator()() const noexcept {}
};

// One thread; the same concept as hierarchical_wheel, which has the contracts.
template <class Nodes>
class hashed_wheel {
 public:
  // `slots` is a power of two. Throws bad_alloc.
  hashed_wheel(Nodes nodes, tick_grid grid, std::size_t slots)
      : nodes_(nodes), shift_(grid.unit_shift()), size_(slots), heads_(slots, no_node), winners_(2 * slots, forever) {}

  // O(log slots) where the node is its slot's earliest, else O(1).
  void insert(node_index index, node& added, nanoseconds_t deadline) noexcept;
  void unlink(node& gone) noexcept;
  // between(): every now and then while it re-inserts what take() left to it, which stays as it is meanwhile.
  template <class Take, class Between = no_interlude>
  void expire(nanoseconds_t now, Take&& take, Between&& between = {});
  std::optional<nanoseconds_t> next_bound() const noexcept;
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone);
  bool check_invariants() const noexcept;

 private:
  using list = slot_list<Nodes>;
  static constexpr std::uint32_t files_between_looks = 256;
  // An occupied slot's key is below `forever`, which marks an empty one; the last instant is reported one
  // early.
  static nanoseconds_t key(nanoseconds_t deadline) noexcept { return std::min(deadline, forever - 1); }
  std::size_t slot_for(nanoseconds_t deadline) const noexcept {
    return static_cast<std::size_t>(to_unsigned(deadline) >> shift_) & (size_ - 1);
  }
  void set_earliest(std::size_t slot, nanoseconds_t earliest) noexcept;
  std::size_t first_slot() const noexcept;

  Nodes nodes_;
  unsigned shift_;
  std::size_t size_;
  nanoseconds_t reached_ = INT64_MIN;  // when something came due last
  std::vector<node_index> heads_;
  // A binary tree in an array: leaf size_ + s is a lower bound of slot s, each inner node the lesser of its two.
  std::vector<nanoseconds_t> winners_;
};

template <class Nodes>
void hashed_wheel<Nodes>::set_earliest(std::size_t slot, nanoseconds_t earliest) noexcept {
  std::size_t at = size_ + slot;
  winners_[at] = earliest;
  while (at > 1) {
    at /= 2;
    nanoseconds_t winner = std::min(winners_[2 * at], winners_[2 * at + 1]);
    if (winners_[at] == winner) return;
    winners_[at] = winner;
  }
}

template <class Nodes>
std::size_t hashed_wheel<Nodes>::first_slot() const noexcept {
  std::size_t at = 1;
  while (at < size_) at = 2 * at + (winners_[2 * at] == winners_[at] ? 0 : 1);
  return at - size_;
}

template <class Nodes>
void hashed_wheel<Nodes>::insert(node_index index, node& added, nanoseconds_t deadline) noexcept {
  std::size_t slot = slot_for(deadline);
  added.location = static_cast<std::uint32_t>(slot);
  list::push_front(nodes_, heads_[slot], index, added);
  if (key(deadline) < winners_[size_ + slot]) set_earliest(slot, key(deadline));
}

template <class Nodes>
void hashed_wheel<Nodes>::unlink(node& gone) noexcept {
  std::size_t slot = gone.location;
  DETENT_ASSERT(slot < size_);
  list::unlink(nodes_, heads_[slot], gone);
  if (heads_[slot] == no_node) set_earliest(slot, forever);
  gone.location = nowhere;
}

template <class Nodes>
template <class Take, class Between>
void hashed_wheel<Nodes>::expire(nanoseconds_t now, Take&& take, Between&& between) {
  node_index not_yet = no_node;  // re-inserted at the end, so that no slot is visited twice
  while (winners_[1] <= now && winners_[1] != forever) {
    reached_ = now;
    std::size_t slot = first_slot();
    node_index index = heads_[slot];
    heads_[slot] = no_node;
    set_earliest(slot, forever);
    while (index != no_node) {
      node& each = nodes_[index];
      node_index here = index;
      index = each.next;
      if (index != no_node) __builtin_prefetch(&nodes_[index], 1);
      each.location = nowhere;
      if (take(here, each)) continue;
      each.next = not_yet;
      not_yet = here;
    }
  }
  for (std::uint32_t filed = 1; not_yet != no_node; ++filed) {
    node_index here = not_yet;
    not_yet = nodes_[here].next;
    insert(here, nodes_[here], filing_time(nodes_, here, nodes_[here]));
    if (filed % files_between_looks == 0) between();
  }
}

template <class Nodes>
std::optional<nanoseconds_t> hashed_wheel<Nodes>::next_bound() const noexcept {
  if (winners_[1] == forever) return std::nullopt;
  return winners_[1];
}

template <class Nodes>
template <class Gone>
std::optional<nanoseconds_t> hashed_wheel<Nodes>::next_exact(Gone&& gone) {
  int looks = exact_look_limit;
  while (winners_[1] != forever) {
    std::size_t slot = first_slot();
    nanoseconds_t candidate = winners_[1], earliest = forever, exact = forever;
    // Two instants have the last key. Once the first has come, the bound is no help: a wait for it would never end.
    const bool at_last_instant = candidate == key(forever) && reached_ >= candidate;
    for (node_index index = heads_[slot]; index != no_node;) {
      if (!at_last_instant && looks-- == 0) return candidate;
      node& each = nodes_[index];
      node_index here = index;
      index = each.next;
      if (gone(here, each)) continue;
      nanoseconds_t deadline = filing_time(nodes_, here, each);
      if (slot_for(deadline) != slot) {
        unlink(each);  // restarted into another slot
        insert(here, each, deadline);
        continue;
      }
      exact = std::min(exact, deadline);
      earliest = std::min(earliest, key(deadline));
    }
    if (earliest == candidate && heads_[slot] != no_node) return exact;
    set_earliest(slot, heads_[slot] == no_node ? forever : earliest);
  }
  return std::nullopt;
}

template <class Nodes>
bool hashed_wheel<Nodes>::check_invariants() const noexcept {
  Nodes nodes = nodes_;
  for (std::size_t slot = 0; slot < size_; ++slot) {
    if ((heads_[slot] == no_node) != (winners_[size_ + slot] == forever)) return false;
    node_index before = no_node;
    for (node_index index = heads_[slot]; index != no_node; index = nodes[index].next) {
      if (nodes[index].previous != before || nodes[index].location != slot) return false;
      before = index;
    }
  }
  for (std::size_t at = 1; at < size_; ++at) {
    if (winners_[at] != std::min(winners_[2 * at], winners_[2 * at + 1])) return false;
  }
  return true;
}

}  // namespace detent::detail
