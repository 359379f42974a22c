// SPDX-License-Identifier: MIT
// The wheels under one interface. It is the one of the engine's choice: a branch that never changes its mind.
#pragma once

#include <detent/base/compiler.hpp>

#include "wheel/hashed_wheel.hpp"
#include "wheel/hierarchical_wheel.hpp"

#include "groups/node_view.hpp"

#include <optional>

namespace detent::detail {

class wheel {
 public:
  // Throws bad_alloc.
  DETENT_COLD wheel(node_view nodes, tick_grid grid, nanoseconds_t start, bool hashed, std::size_t hashed_slots)
      : hierarchical_(nodes, grid, start) {
    if (hashed) hashed_.emplace(nodes, grid, start, hashed_slots, hierarchical_);
  }

  void insert(node_index index, node& added, const filing& placed) noexcept {
    hashed_ ? hashed_->insert(index, added, placed.time, placed.in_order)
            : hierarchical_.insert(index, added, placed.time, placed.in_order);
  }
  void prefetch_insert(node_index index, nanoseconds_t time) const noexcept {
    hashed_ ? hashed_->prefetch_insert(index, time) : hierarchical_.prefetch_insert(index, time);
  }
  void unlink(node& gone) noexcept { hashed_ ? hashed_->unlink(gone) : hierarchical_.unlink(gone); }
  std::optional<nanoseconds_t> next_bound() const noexcept {
    return hashed_ ? hashed_->next_bound() : hierarchical_.next_bound();
  }
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone, int looks) {
    return hashed_ ? hashed_->next_exact(gone, looks) : hierarchical_.next_exact(gone, looks);
  }
  // between() is called where many are re-inserted without a call of take().
  template <class Take, class Between>
  DETENT_ALWAYS_INLINE void expire(nanoseconds_t now, Take&& take, Between&& between) {
    hashed_ ? hashed_->expire_in_sets(now, take, between) : hierarchical_.expire_in_sets(now, take);
  }
  // The result of next_exact().
  const earliest& found() const noexcept { return hashed_ ? hashed_->found() : hierarchical_.found(); }
  const earliest* next_alone() const noexcept { return hashed_ ? hashed_->next_alone() : hierarchical_.next_alone(); }
  // Remembers it once more, after it was taken out and inserted again.
  void found_alone(node_index index, node& first, nanoseconds_t time) noexcept {
    hashed_ ? hashed_->found_alone(index, first, time) : hierarchical_.found_alone(index, first, time);
  }

  // The sets that have come due as a whole.
  auto& due() noexcept { return hierarchical_.due(); }
  const auto& due() const noexcept { return hierarchical_.due(); }
  bool has_due_set() const noexcept { return !due().empty(); }
  bool is_in_due_set(const node& inserted) const noexcept {
    return has_due_set() && inserted.location < hashed_wheel<node_view>::first_list_location &&
           due().contains(inserted);
  }

 private:
  hierarchical_wheel<node_view> hierarchical_;
  std::optional<hashed_wheel<node_view>> hashed_;  // the other keeps what is near
};

}  // namespace detent::detail
