// SPDX-License-Identifier: MIT
// What was taken out of the submission queue too early.
#pragma once

#include "limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace detent::detail {

// Entries that the driver met while its wheel was in use, in their order. The driver's own.
class set_aside {
 public:
  // Room for `reserve` entries ahead, untouched until used. Throws bad_alloc.
  explicit set_aside(std::size_t reserve) : keep_(std::min(reserve, limits::set_aside)) { entries_.reserve(keep_); }

  bool empty() const noexcept { return next_ == entries_.size(); }
  std::size_t size() const noexcept { return entries_.size() - next_; }
  // For `more` entries. False: out of memory.
  bool make_room(std::size_t more) noexcept {
    const std::size_t needed = entries_.size() + more;
    if (needed <= entries_.capacity()) return true;
    try {
      entries_.reserve(2 * needed);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  // Within that room.
  void add(std::uint64_t entry) noexcept { entries_.push_back(entry); }
  // The first ones, at most `room`; says how many.
  std::size_t take(std::uint64_t* out, std::size_t room) noexcept {
    const std::size_t count = std::min(room, size());
    std::copy_n(entries_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
    next_ += count;
    if (empty()) clear();
    return count;
  }

 private:
  // Memory of a past peak is given back.
  void clear() noexcept {
    entries_.clear();
    next_ = 0;
    if (entries_.capacity() > 2 * std::max(keep_, limits::set_aside)) entries_.shrink_to_fit();
  }

  std::vector<std::uint64_t> entries_;
  std::size_t next_ = 0;
  std::size_t keep_;
};

}  // namespace detent::detail
