// SPDX-License-Identifier: MIT
// Due sets: nodes that were inserted in order under one time, which has come. They fire node by node, and need no sort.
// No threads, no clock.
#pragma once

#include <detent/base/compiler.hpp>

#include "wheel/slot_sets.hpp"

#include <utility>

namespace detent::detail {

// One thread. The earliest set comes first. A set's nodes leave it in order only: a cancelled one is a tombstone.
template <class Sets>
class due_sets {
 public:
  // In the place of a slot's number, as the slot of each due set.
  static constexpr std::uint32_t slot = 0xffffffff;

  explicit due_sets(Sets& sets) noexcept : sets_(sets) {}

  bool empty() const noexcept { return first_ == no_set; }
  // Returns the time of the first set; there must be one.
  nanoseconds_t time() const noexcept { return sets_[first_].time; }
  // The next node of the first set; pop() takes it out.
  node_index front() noexcept { return sets_.front(first_); }
  node_index pop() noexcept;
  bool contains(const node& inserted) const noexcept { return sets_[sets_.set_of(inserted)].slot == slot; }
  nanoseconds_t time_of(const node& contained) const noexcept { return sets_[sets_.set_of(contained)].time; }
  // Returns whether there is a set that satisfies wanted(time); it becomes the first.
  template <class Wanted>
  bool find(Wanted&& wanted) noexcept;
  // Ends the first set: hands what is left of it to take(index, node).
  template <class Take>
  void end(Take&& take) {
    const set_index id = first_;
    first_ = sets_[id].older;
    sets_.template take_all<true>(id, take);
  }
  // After those that are due before or at its time: it has been inserted after them.
  void add(set_index id) noexcept;
  // How many sets are linked and right; for tests.
  std::size_t check() const noexcept;

 private:
  Sets& sets_;
  set_index first_ = no_set;  // the others hang on it through `older`
};

template <class Sets>
DETENT_ALWAYS_INLINE inline node_index due_sets<Sets>::pop() noexcept {
  const set_index id = first_;
  bool is_last = false;
  const node_index popped = sets_.pop(id, is_last);
  if (is_last) [[unlikely]] {
    first_ = sets_[id].older;
    sets_.close(id);
  }
  return popped;
}

template <class Sets>
template <class Wanted>
bool due_sets<Sets>::find(Wanted&& wanted) noexcept {
  for (set_index* link = &first_; *link != no_set; link = &sets_[*link].older) {
    const set_index id = *link;
    if (!wanted(sets_[id].time)) continue;
    *link = sets_[id].older;
    sets_[id].older = std::exchange(first_, id);
    return true;
  }
  return false;
}

template <class Sets>
void due_sets<Sets>::add(set_index id) noexcept {
  auto& added = sets_[id];
  set_index* link = &first_;
  while (*link != no_set && sets_[*link].time <= added.time) link = &sets_[*link].older;
  added.slot = slot;
  added.older = std::exchange(*link, id);
}

template <class Sets>
std::size_t due_sets<Sets>::check() const noexcept {
  std::size_t right = 0;
  for (set_index id = first_; id != no_set; id = sets_[id].older) {
    if (sets_[id].slot == slot) ++right;
  }
  return right;
}

}  // namespace detent::detail
