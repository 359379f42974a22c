// SPDX-License-Identifier: MIT
// All agendas: that of the bulk, and those of the critical timers, by their rank. A timer stays on the same one from
// its schedule call on.
#pragma once

#include "driver/agenda.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace detent::detail {

// Used by the driver alone. It is all that an interlude in the bulk's long steps may touch.
class critical_agendas {
 public:
  // Throws bad_alloc.
  critical_agendas(engine_core& core, drive_state& drive, group_sweep& groups);

  // The agenda of a critical timer. If the node is no critical timer any more, it may be any of them: what is done to
  // the node is stale then.
  agenda& of(node_index index) noexcept {
    is_used_ = may_be_due_ = true;
    return all_[nodes_.cold(index).critical_rank()];
  }
  template <class F>
  void each(F&& f) {
    if (!is_used_) return;
    may_be_due_ = true;
    for (agenda& one : all_) f(one);
  }
  bool has_due() noexcept { return may_be_due_ && find_first(); }
  // The one of the highest rank on which something is due, as has_due() has found it.
  agenda& first() noexcept { return all_[first_]; }
  // Nothing in the wheels is due before this.
  nanoseconds_t next_bound() const noexcept { return is_used_ ? find_bound() : forever; }

 private:
  DETENT_NOINLINE bool find_first() noexcept;
  nanoseconds_t find_bound() const noexcept;

  const node_view nodes_;
  bool is_used_ = false;     // by any timer so far
  bool may_be_due_ = false;  // something has changed since nothing was found to be due
  std::size_t first_ = 0;
  std::array<agenda, critical_ranks> all_;
};

// Used by the driver alone, while no step of the bulk is under way.
class agendas {
 public:
  // Throws bad_alloc.
  agendas(engine_core& core, drive_state& drive, group_sweep& groups);

  agenda bulk;
  critical_agendas critical;

  // The agenda of a timer whose state word that is.
  agenda& of(node_index index, std::uint64_t word) noexcept {
    if (!nodes_.is_critical(index, word)) [[likely]]
      return bulk;
    return critical.of(index);
  }
  // A member that an executor has not started comes back as it was armed. So does one that is on its way back.
  void recall(node_index index, node& member, std::uint64_t word) noexcept;
  // Scans every node for the entries that could not be pushed. Calls between() now and then.
  void rescan(const interlude& between) noexcept;

  // These do what agenda.hpp says, of all of them.
  std::optional<nanoseconds_t> next_exact(int looks = limits::exact_looks) {
    return earliest([looks](agenda& one) { return one.next_exact(looks); });
  }
  std::optional<nanoseconds_t> next_in_wheel() {
    return earliest([](agenda& one) { return one.next_in_wheel(); });
  }
  nanoseconds_t next_bound() const noexcept { return std::min(bulk.next_bound(), critical.next_bound()); }
  bool has_due() noexcept { return bulk.has_due() || critical.has_due(); }
  void give_back() noexcept {
    each([](agenda& one) { one.give_back(); });
  }
  void warm_up() {
    each([](agenda& one) { one.warm_up(); });
  }

 private:
  template <class F>
  void each(F&& f) {
    critical.each(f);
    f(bulk);
  }
  template <class Next>
  std::optional<nanoseconds_t> earliest(const Next& next_of) {
    std::optional<nanoseconds_t> found;
    each([&](agenda& one) {
      if (const std::optional<nanoseconds_t> next = next_of(one)) found = std::min(*next, found.value_or(forever));
    });
    return found;
  }

  engine_core& core_;
  drive_state& drive_;
  const node_view nodes_;
};

}  // namespace detent::detail
