// SPDX-License-Identifier: MIT
// Both agendas, for steps that concern either. A timer stays on the same one from its schedule call on.
#pragma once

#include "driver/agenda.hpp"

#include <algorithm>
#include <optional>

namespace detent::detail {

// Used by the driver alone, while no step of the bulk is under way.
class agendas {
 public:
  // Throws bad_alloc.
  agendas(engine_core& core, drive_state& drive, group_sweep& groups);

  agenda bulk;
  critical_agenda critical;

  // These do what basic_agenda.hpp says, on the agenda of the timer.
  void insert(node_index index, node& armed, bool in_order) noexcept {
    const std::uint64_t word = observe(armed.pair);
    if (!nodes_.is_critical(index, word)) [[likely]]
      return bulk.insert(index, armed, word, in_order);
    critical.insert(index, armed, word, in_order);
  }
  void insert_again(node_index index, node& armed, bool in_order) noexcept;
  void accept(node_index index, node& submitted, std::uint32_t generation, bool in_order = true) noexcept;
  void refile(node_index index, node& member, std::uint64_t word) noexcept;
  void reap(node_index index, node& cancelled) noexcept;
  // A member that an executor has not started comes back as it was armed. So does one that is on its way back.
  void recall(node_index index, node& member, std::uint64_t word) noexcept;
  // Scans every node for the entries that could not be pushed. Calls between() now and then.
  void rescan(const interlude& between) noexcept;

  std::optional<nanoseconds_t> next_exact();
  std::optional<nanoseconds_t> next_in_wheel();
  nanoseconds_t next_bound() const noexcept { return std::min(bulk.next_bound(), critical.next_bound()); }
  bool has_due() const noexcept { return bulk.has_due() || critical.has_due(); }
  // Takes out the timer of the bulk that is due at `until`, alone and before all of either agenda
  // (agenda::take_awaited()).
  awaited_timer take_awaited(nanoseconds_t until) noexcept {
    return critical.has_due() || critical.has_filed() ? awaited_timer{} : bulk.take_awaited(until);
  }
  // Gives back the memory of a past peak.
  void give_back() noexcept;
  // Fetches the memory that the next deadline needs into the caches.
  void warm_up();

 private:
  template <class F>
  void with_agenda_of(node_index index, std::uint64_t word, F&& f) noexcept {
    if (!nodes_.is_critical(index, word)) [[likely]]
      return f(bulk);
    f(critical);
  }

  engine_core& core_;
  drive_state& drive_;
  const node_view nodes_;
};

}  // namespace detent::detail
