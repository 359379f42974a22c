// SPDX-License-Identifier: MIT
// Either wheel behind one face; the choice is a branch that never changes its mind.
#pragma once

#include <detent/alloc/slot_pool.hpp>
#include <detent/detail/hashed_wheel.hpp>
#include <detent/detail/hierarchical_wheel.hpp>

#include <optional>

namespace detent::detail {

using node_pool = alloc::slot_pool<>;

// The nodes of a pool by index.
struct node_view {
  node_pool* pool;
  node& operator[](node_index index) const noexcept { return *static_cast<node*>(pool->hot(index)); }
};

class wheel {
 public:
  // Throws bad_alloc.
  wheel(node_view nodes, tick_grid grid, nanoseconds_t start, bool hashed, std::size_t hashed_slots)
      : hierarchical_(nodes, grid, start) {
    if (hashed) hashed_.emplace(nodes, grid, hashed_slots);
  }

  void insert(node_index index, node& added, nanoseconds_t deadline) noexcept {
    hashed_ ? hashed_->insert(index, added, deadline) : hierarchical_.insert(index, added, deadline);
  }
  void prefetch_insert(node_index index, nanoseconds_t deadline) const noexcept {
    if (!hashed_) hierarchical_.prefetch_insert(index, deadline);
  }
  std::optional<nanoseconds_t> next_bound() const noexcept {
    return hashed_ ? hashed_->next_bound() : hierarchical_.next_bound();
  }
  void unlink(node& gone) noexcept { hashed_ ? hashed_->unlink(gone) : hierarchical_.unlink(gone); }
  template <class Take>
  void expire(nanoseconds_t now, Take&& take) {
    hashed_ ? hashed_->expire(now, take) : hierarchical_.expire(now, take);
  }
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone) {
    return hashed_ ? hashed_->next_exact(gone) : hierarchical_.next_exact(gone);
  }

 private:
  hierarchical_wheel<node_view> hierarchical_;
  std::optional<hashed_wheel<node_view>> hashed_;
};

}  // namespace detent::detail
