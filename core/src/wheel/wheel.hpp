// SPDX-License-Identifier: MIT
// The wheels under one interface: the one of the engine's choice, a branch that never changes its mind, for the bulk;
// and a small one for the higher lanes, so that what is critical is found without scanning the rest.
#pragma once

#include "limits.hpp"
#include "wheel/hashed_wheel.hpp"
#include "wheel/hierarchical_wheel.hpp"

#include "groups/node_view.hpp"

#include <algorithm>
#include <optional>

namespace detent::detail {

class wheel {
 public:
  // Throws bad_alloc.
  [[gnu::cold]] wheel(node_view nodes, tick_grid grid, nanoseconds_t start, bool hashed, std::size_t hashed_slots)
      : hierarchical_(nodes, grid, start), critical_(nodes, grid, start) {
    if (hashed) hashed_.emplace(nodes, grid, start, hashed_slots, hierarchical_.lend_sets(), hierarchical_.runs());
  }

  // Of the bulk.
  void insert(node_index index, node& added, const filing& placed) noexcept {
    hashed_ ? hashed_->insert(index, added, placed.time, placed.in_order)
            : hierarchical_.insert(index, added, placed.time, placed.in_order);
  }
  void prefetch_insert(node_index index, nanoseconds_t time) const noexcept {
    hashed_ ? hashed_->prefetch_insert(index, time) : hierarchical_.prefetch_insert(index, time);
  }
  void unlink(node& gone) noexcept {
    if (gone.location / critical_location == 1) [[unlikely]]
      return unlink_critical(gone);
    hashed_ ? hashed_->unlink(gone) : hierarchical_.unlink(gone);
  }
  std::optional<nanoseconds_t> next_bound() const noexcept {
    std::optional<nanoseconds_t> bulk = hashed_ ? hashed_->next_bound() : hierarchical_.next_bound();
    return critical_.empty() ? bulk : std::min(critical_bound(), bulk.value_or(forever));
  }
  template <class Gone>
  std::optional<nanoseconds_t> next_exact(Gone&& gone) {
    std::optional<nanoseconds_t> bulk = hashed_ ? hashed_->next_exact(gone) : hierarchical_.next_exact(gone);
    if (critical_.empty()) return bulk;
    std::optional<nanoseconds_t> critical = critical_.next_exact(gone);
    return bulk && critical ? std::min(*bulk, *critical) : bulk ? bulk : critical;
  }
  // between() is called where many are re-inserted without a call of take().
  template <class Take, class Between>
  void expire(nanoseconds_t now, Take&& take, Between&& between) {
    hashed_ ? hashed_->expire_in_runs(now, take, between) : hierarchical_.expire_in_runs(now, take);
  }
  // What next_exact() has found of the bulk, and of the higher lanes.
  const earliest& found() const noexcept { return hashed_ ? hashed_->found() : hierarchical_.found(); }
  const earliest& found_critical() const noexcept { return critical_.found(); }
  // The one node of the bulk that next_exact() has found to be due before all others, the higher lanes' included; null:
  // there is no such node, or it is not known.
  const earliest* next_alone() const noexcept {
    return critical_.empty() && found().is_known() && found().alone() ? &found() : nullptr;
  }
  // Remembers it once more, after it was taken out and inserted again.
  void found_alone(node_index index, node& first, nanoseconds_t time) noexcept {
    hashed_ ? hashed_->found_alone(index, first, time) : hierarchical_.found_alone(index, first, time);
  }

  // Of the bulk: what has come due as a whole.
  auto& runs() noexcept { return hierarchical_.runs(); }
  const auto& runs() const noexcept { return hierarchical_.runs(); }
  bool has_run() const noexcept { return !runs().empty(); }
  bool is_in_run(const node& inserted) const noexcept {
    return has_run() && inserted.location < critical_location && runs().contains(inserted);
  }

  // Of the higher lanes. No earlier than critical_bound() is anything due there.
  nanoseconds_t critical_bound() const noexcept { return critical_.next_bound().value_or(forever); }
  bool has_critical() const noexcept { return !critical_.empty(); }
  [[gnu::noinline]] void insert_critical(node_index index, node& added, nanoseconds_t time) noexcept {
    critical_.insert(index, added, time);
  }
  template <class Take>
  void expire_critical(nanoseconds_t now, Take&& take) {
    critical_.expire(now, take);
  }

 private:
  [[gnu::noinline]] void unlink_critical(node& gone) noexcept { critical_.unlink(gone); }

  static constexpr std::uint32_t critical_location = 1u << 30;
  static_assert(hashed_wheel<node_view>::first_list_location / critical_location == 2);
  struct critical_traits {
    static constexpr unsigned slot_bits = limits::critical_slot_bits, chain_bits = 0;
  };

  hierarchical_wheel<node_view> hierarchical_;
  std::optional<hashed_wheel<node_view>> hashed_;  // with the sets and the runs of the other, which stays empty
  hierarchical_wheel<node_view, critical_traits, critical_location> critical_;
};

}  // namespace detent::detail
