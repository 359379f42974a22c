// SPDX-License-Identifier: MIT
// The members of a group, by name: whom the driver goes to when all are cancelled or resumed.
#pragma once

#include <detent/detail/node.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace detent::detail {

// The driver's. Members leave without a word: an entry whose node has begun another life is stale, and is dropped in
// passing, two looks for each entry added, so that stale ones are never much more than half.
class group_roster {
 public:
  struct entry {
    node_index index;
    std::uint32_t generation;
  };

  // False: out of memory; then the roster is not complete any more.
  template <class IsAlive>
  bool add(entry added, const IsAlive& is_alive) noexcept {
    for (int looks = 2; looks != 0 && !kept_ && !entries_.empty(); --looks) look_at_one(is_alive);
    try {
      entries_.push_back(added);
      return true;
    } catch (const std::bad_alloc&) {
      complete_ = false;
      return false;
    }
  }
  std::size_t size() const noexcept { return entries_.size(); }
  const entry& operator[](std::size_t at) const noexcept { return entries_[at]; }
  void remove(std::size_t at) noexcept {
    entries_[at] = entries_.back();
    entries_.pop_back();
  }
  // Whether everybody is in it who was added.
  bool complete() const noexcept { return complete_; }
  // While somebody walks it, entries stay where they are.
  void keep(bool kept) noexcept { kept_ = kept; }
  void clear() noexcept {
    entries_.clear();
    complete_ = true;
    kept_ = false;
  }

 private:
  template <class IsAlive>
  void look_at_one(const IsAlive& is_alive) noexcept {
    if (hand_ >= entries_.size()) hand_ = 0;
    is_alive(entries_[hand_]) ? static_cast<void>(++hand_) : remove(hand_);
  }

  std::vector<entry> entries_;
  std::size_t hand_ = 0;
  bool complete_ = true;
  bool kept_ = false;
};

}  // namespace detent::detail
