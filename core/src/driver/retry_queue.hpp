// SPDX-License-Identifier: MIT
// Work that an executor has refused and will be offered again.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/executor.hpp>

#include "limits.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace detent::detail {

// First in, first out. Used by the driver alone.
class retry_queue {
 public:
  // Makes room for this many, and for as many that were taken, untouched until used. Throws bad_alloc.
  void reserve(std::size_t ahead) {
    keep_ = std::max(2 * ahead, limits::retries_kept);
    items_.reserve(2 * ahead);
  }

  bool empty() const noexcept { return next_ == items_.size(); }
  std::size_t size() const noexcept { return items_.size() - next_; }
  fired_timer& front() noexcept { return items_[next_]; }
  // Throws bad_alloc, and then has not moved anything.
  void push_back(fired_timer&& refused) {
    // At least half has been taken from the front: those places serve again.
    if (items_.size() == items_.capacity() && next_ >= items_.size() / 2) drop_taken();
    items_.push_back(std::move(refused));
  }
  void pop_front() noexcept {
    static_cast<void>(fired_timer(std::move(items_[next_++])));
    if (empty()) clear();
  }
  // Gives back the memory of a past peak.
  void clear() noexcept {
    items_.clear();
    next_ = 0;
    if (items_.capacity() > keep_) items_.shrink_to_fit();
  }
  // Drops stale work in front; whenever there is twice as much as the last time, all stale work.
  template <class IsStale>
  void sift(const IsStale& is_stale) noexcept {
    while (!empty() && is_stale(front())) pop_front();
    if (size() >= sift_at_) sift_all(is_stale);
  }

 private:
  template <class IsStale>
  DETENT_COLD void sift_all(const IsStale& is_stale) noexcept {
    drop_taken();
    std::erase_if(items_, is_stale);
    sift_at_ = std::max(2 * size(), limits::retries_kept);
    if (empty()) clear();
  }
  void drop_taken() noexcept {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }

  std::vector<fired_timer> items_;
  std::size_t next_ = 0;  // those before it are taken
  std::size_t sift_at_ = limits::retries_kept;
  std::size_t keep_ = limits::retries_kept;  // capacity that is not given back after a peak
};

}  // namespace detent::detail
