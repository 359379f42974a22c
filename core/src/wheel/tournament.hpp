// SPDX-License-Identifier: MIT
// A tournament over the earliest times of slots: the least of all at once, and a change in O(log slots).
#pragma once

#include <detent/time.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace detent::detail {

// One thread. A binary tree in an array: leaf size + s is slot s, each inner node the lesser of its two. `forever` is
// the time of an empty slot.
class tournament {
 public:
  // `slots` is a power of two. Throws bad_alloc.
  explicit tournament(std::size_t slots) : size_(slots), winners_(2 * slots, forever) {}

  std::size_t slots() const noexcept { return size_; }
  nanoseconds_t of(std::size_t slot) const noexcept { return winners_[size_ + slot]; }
  nanoseconds_t least() const noexcept { return winners_[1]; }
  // The slot of the least time.
  std::size_t first() const noexcept {
    std::size_t at = 1;
    while (at < size_) at = 2 * at + (winners_[2 * at] == winners_[at] ? 0 : 1);
    return at - size_;
  }
  void set(std::size_t slot, nanoseconds_t time) noexcept {
    std::size_t at = size_ + slot;
    winners_[at] = time;
    while (at > 1) {
      at /= 2;
      const nanoseconds_t winner = std::min(winners_[2 * at], winners_[2 * at + 1]);
      if (winners_[at] == winner) return;
      winners_[at] = winner;
    }
  }
  // Returns whether each winner is right; for tests.
  bool check() const noexcept {
    for (std::size_t at = 1; at < size_; ++at) {
      if (winners_[at] != std::min(winners_[2 * at], winners_[2 * at + 1])) return false;
    }
    return true;
  }

 private:
  std::size_t size_;
  std::vector<nanoseconds_t> winners_;
};

}  // namespace detent::detail
