// SPDX-License-Identifier: MIT
// The nodes of a wheel's slots, in sets that keep the order in which they were inserted. No threads, no clock.
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"
#include "timer/node.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace detent::detail {

using set_index = std::uint16_t;
inline constexpr set_index no_set = 0;  // takes no node
// The number of nodes that may be inserted into a set before their numbers wrap.
inline constexpr std::uint32_t slot_set_most = 1u << limits::set_number_bits;

// A set's nodes are numbered as they are inserted, and dealt to its lists by turns, so that those are walked side by
// side in the order of the numbers: one list is walked no faster than memory answers, node by node.
template <unsigned Lists>
struct alignas(Lists == 1 ? 32 : 128) slot_set {  // a power of two, so that an index gives its place by a shift
  std::array<node_index, Lists> heads, tails;
  nanoseconds_t time;   // of all its nodes while it is uniform, else of the first
  std::uint32_t first;  // no node has a lower number
  std::uint32_t next;   // the number of the node that is inserted next
  std::uint32_t slot;   // where it is
  set_index older;      // inserted before into the same slot; of a due set: the one that fires next
  bool uniform;         // all nodes have been inserted under one time
  bool ordered;         // those with one deadline come in the order of their armings
  std::uint32_t size_bound() const noexcept { return next - first; }
  // Returns whether a node may be inserted under that time and the set remain as it is: also its order, as numbers are
  // modular.
  bool takes(nanoseconds_t of_node) const noexcept { return next < slot_set_most && (of_node == time || !uniform); }
  // Nodes are inserted all the same though the numbers are used up.
  void begin_again() noexcept { ordered = false, next = 0; }
};

// One thread. Nodes as for hierarchical_wheel. An inserted node's location is its set and its number.
template <class Nodes, unsigned Lists, std::size_t Capacity>
class slot_sets {
 public:
  using set = slot_set<Lists>;
  static constexpr std::size_t capacity = Capacity - 1;

  explicit slot_sets(Nodes nodes) noexcept : nodes_(nodes) { sets_[no_set].next = slot_set_most; }

  set& operator[](set_index id) noexcept { return sets_[id]; }
  const set& operator[](set_index id) const noexcept { return sets_[id]; }
  std::size_t open() const noexcept { return open_; }
  set_index set_of(const node& inserted) const noexcept {
    return static_cast<set_index>(inserted.location >> limits::set_number_bits);
  }

  // An empty set; there are no more than `capacity`.
  set_index make(std::uint32_t slot, nanoseconds_t time) noexcept;
  // Closes a set without nodes.
  void close(set_index id) noexcept;
  // There is a number left. O(1), touches one neighbour.
  void append(set_index id, node_index index, node& added) noexcept;
  // The node that the next append() will touch; no_node: none.
  node_index neighbour_of_next(set_index id) const noexcept { return sets_[id].tails[sets_[id].next % Lists]; }
  // Takes a node out. Returns whether its set is empty now.
  bool unlink(node& gone) noexcept;
  // The node with the lowest number. The set is not empty.
  node_index front(set_index id) noexcept {
    const set& of = sets_[id];
    const node_index index = of.heads[of.first % Lists];
    if (index != no_node && number_of(nodes_[index]) == (of.first & number_mask)) [[likely]]
      return index;
    return next_front(id);
  }
  // Does the same, and takes it out.
  node_index pop(set_index id, bool& is_last) noexcept;
  // Closes the set, which is ordered or not, and hands its nodes to f(index, node) in the order of their numbers, each
  // with location `nowhere`.
  template <bool Ordered, class F>
  void take_all(set_index id, F&& f);
  // Calls f(index, node) for each node, list by list, until it returns false; f may unlink the node. Returns false if f
  // did.
  template <class F>
  bool each(set_index id, F&& f);
  bool is_empty(set_index id) const noexcept { return is_empty(sets_[id].heads); }
  // Returns whether exactly one node is in the set.
  bool has_one(set_index id) const noexcept;
  // Returns whether all links, numbers and locations agree; for tests.
  bool check(set_index id) const noexcept;

 private:
  using lists = std::array<node_index, Lists>;
  static constexpr std::uint32_t number_mask = slot_set_most - 1;
  static std::uint32_t number_of(const node& inserted) noexcept { return inserted.location & number_mask; }
  node_index next_front(set_index id) noexcept;
  std::uint32_t lowest(const lists& at, std::uint32_t from) const noexcept;
  static bool is_empty(const lists& heads) noexcept {
    for (const node_index each : heads) {
      if (each != no_node) return false;
    }
    return true;
  }

  Nodes nodes_;
  std::size_t open_ = 0;
  set_index free_ = no_set;  // closed ones, through `older`
  set_index fresh_ = 1;      // never used from here on
  std::array<set, capacity + 1> sets_;
  static_assert(capacity < (1u << 30) / slot_set_most, "set and number fit a location");
  static_assert(slot_set_most % Lists == 0, "a number gives its list, also after a wrap");
};

template <class Nodes, unsigned Lists, std::size_t Capacity>
set_index slot_sets<Nodes, Lists, Capacity>::make(std::uint32_t slot, nanoseconds_t time) noexcept {
  set_index id = free_;
  if (id != no_set) {
    free_ = sets_[id].older;  // its lists are empty
  } else {
    DETENT_CHECK(fresh_ <= capacity);
    id = fresh_++;
    sets_[id].heads.fill(no_node);
    sets_[id].tails.fill(no_node);
  }
  ++open_;
  set& made = sets_[id];
  made.time = time;
  made.first = made.next = 0;
  made.slot = slot;
  made.older = no_set;
  made.uniform = made.ordered = true;
  return id;
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
void slot_sets<Nodes, Lists, Capacity>::close(set_index id) noexcept {
  DETENT_ASSERT(is_empty(sets_[id].heads));
  sets_[id].older = free_;
  free_ = id;
  --open_;
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
DETENT_ALWAYS_INLINE inline void slot_sets<Nodes, Lists, Capacity>::append(set_index id, node_index index,
                                                                           node& added) noexcept {
  set& to = sets_[id];
  const std::uint32_t number = to.next++;
  const unsigned list = number % Lists;
  const node_index last = to.tails[list];
  to.tails[list] = index;
  added.previous = last;
  added.next = no_node;
  added.location = (std::uint32_t{id} << limits::set_number_bits) + number;
  if (last == no_node) {
    to.heads[list] = index;
  } else {
    nodes_[last].next = index;
  }
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
DETENT_ALWAYS_INLINE inline bool slot_sets<Nodes, Lists, Capacity>::unlink(node& gone) noexcept {
  const node_index next = gone.next, previous = gone.previous;
  if (next != no_node) nodes_[next].previous = previous;
  if (previous != no_node) nodes_[previous].next = next;
  if (next != no_node && previous != no_node) [[likely]]
    return false;
  set& of = sets_[set_of(gone)];
  const unsigned list = gone.location % Lists;
  if (next == no_node) of.tails[list] = previous;
  if (previous == no_node) of.heads[list] = next;
  return next == previous && is_empty(of.heads);
}

// The lowest number of what the lists begin with, counted from `from` on; there is one.
template <class Nodes, unsigned Lists, std::size_t Capacity>
std::uint32_t slot_sets<Nodes, Lists, Capacity>::lowest(const lists& at, std::uint32_t from) const noexcept {
  std::uint32_t ahead = number_mask;
  for (const node_index each : at) {
    if (each != no_node) ahead = std::min(ahead, (number_of(nodes_[each]) - from) & number_mask);
  }
  return from + ahead;
}

// Others were taken out.
template <class Nodes, unsigned Lists, std::size_t Capacity>
DETENT_NOINLINE node_index slot_sets<Nodes, Lists, Capacity>::next_front(set_index id) noexcept {
  set& of = sets_[id];
  of.first = lowest(of.heads, of.first);
  return of.heads[of.first % Lists];
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
DETENT_ALWAYS_INLINE inline node_index slot_sets<Nodes, Lists, Capacity>::pop(set_index id, bool& is_last) noexcept {
  const node_index index = front(id);
  set& from = sets_[id];
  const unsigned list = from.first++ % Lists;
  node& popped = nodes_[index];
  const node_index next = popped.next;
  from.heads[list] = next;
  popped.location = nowhere;
  if (next != no_node) [[likely]] {
    nodes_.prefetch(next, popped);  // well before its turn; its `previous` is not needed any more
    is_last = false;
  } else {
    from.tails[list] = no_node;
    is_last = is_empty(from.heads);
  }
  return index;
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
template <bool Ordered, class F>
void slot_sets<Nodes, Lists, Capacity>::take_all(set_index id, F&& f) {
  set& from = sets_[id];
  lists at = from.heads;
  std::uint32_t number = from.first;
  const bool single = Ordered && from.next - number == 1;
  from.heads.fill(no_node);
  from.tails.fill(no_node);
  close(id);
  if (single) {
    const node_index index = at[number % Lists];
    node& only = nodes_[index];
    only.location = nowhere;
    return static_cast<void>(f(index, only));
  }
  for (const node_index each : at) {
    if (each != no_node) base::prefetch_to_write(&nodes_[each]);
  }
  for (;;) {
    node_index index = at[number % Lists];
    if (index == no_node || number_of(nodes_[index]) != (number & number_mask)) {
      if (is_empty(at)) return;
      number = lowest(at, number);
      index = at[number % Lists];
    }
    node& each = nodes_[index];
    const node_index next = each.next;
    at[number++ % Lists] = next;
    if (next != no_node) nodes_.prefetch(next, each);
    each.location = nowhere;
    f(index, each);
  }
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
template <class F>
bool slot_sets<Nodes, Lists, Capacity>::each(set_index id, F&& f) {
  for (unsigned list = 0; list < Lists; ++list) {
    for (node_index index = sets_[id].heads[list]; index != no_node;) {
      node& here = nodes_[index];
      const node_index next = here.next;
      if (!f(index, here)) return false;
      index = next;
    }
  }
  return true;
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
bool slot_sets<Nodes, Lists, Capacity>::has_one(set_index id) const noexcept {
  const set& of = sets_[id];
  unsigned found = 0;
  for (unsigned list = 0; list < Lists; ++list) {
    if (of.heads[list] == no_node) continue;
    if (of.heads[list] != of.tails[list] || ++found > 1) return false;
  }
  return found == 1;
}

template <class Nodes, unsigned Lists, std::size_t Capacity>
bool slot_sets<Nodes, Lists, Capacity>::check(set_index id) const noexcept {
  const set& of = sets_[id];
  Nodes nodes = nodes_;
  for (unsigned list = 0; list < Lists; ++list) {
    node_index before = no_node;
    std::uint32_t reached = 0;
    for (node_index index = of.heads[list]; index != no_node; index = nodes[index].next) {
      const node& here = nodes[index];
      const std::uint32_t number = (number_of(here) - of.first) & number_mask;
      if (here.previous != before || set_of(here) != id || here.location % Lists != list) return false;
      if (before != no_node && of.ordered && number <= reached) return false;
      reached = number;
      before = index;
    }
    if (of.tails[list] != before) return false;
  }
  return !is_empty(of.heads);
}

}  // namespace detent::detail
