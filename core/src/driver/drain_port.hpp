// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/compiler.hpp>

#include "driver/agendas.hpp"
#include "driver/critical_pass.hpp"
#include "driver/driver_end.hpp"
#include "driver/intake.hpp"
#include "driver/outbox.hpp"
#include "limits.hpp"
#include "submission/fence_policy.hpp"
#include "submission/stale_filter.hpp"

namespace detent::detail {

// The engine's side of a drain; intake.hpp has the contract. Used by the driver alone.
class drain_port {
 public:
  static constexpr std::size_t room = limits::drain_room;
  static constexpr std::size_t slice = limits::drain_slice;
  static constexpr std::size_t fetch_node_ahead = limits::fetch_node_ahead;
  static constexpr std::size_t fetch_links_ahead = limits::fetch_links_ahead;
  static constexpr std::size_t most_before_firing() noexcept { return limits::drained_before_firing; }

  drain_port(engine_core& core, drive_state& drive, agendas& known, outbox& offers, critical_pass& critical);

  // Takes entries, without those that later ones among them have overtaken.
  taken_entries take(std::uint64_t* out) noexcept;
  void accept(std::uint64_t entry) noexcept;
  void prefetch_node(std::uint64_t entry) const noexcept {
    base::prefetch_to_write(&core_.node_at(submission::index(entry)));
  }
  // Prefetches the memory that accept() will touch besides the node. It is a guess, because the node may yet change.
  void prefetch_links(std::uint64_t entry) const noexcept;
  std::size_t submitted() noexcept { return in_.queue().is_quiet() ? 0 : count_submitted(); }
  drained drain_critical() noexcept { return critical_.drain(true); }
  bool is_rescan_due() const noexcept { return in_.rescan().is_made(); }
  bool take_rescan() noexcept { return in_.rescan().take(); }
  void rescan() noexcept { agendas_.rescan(between_); }

  nanoseconds_t now() const noexcept { return core_.time.now(); }
  nanoseconds_t known(nanoseconds_t now) noexcept;
  nanoseconds_t next() { return retry_bound(agendas_.next_exact().value_or(forever)); }
  bool is_due(nanoseconds_t until) const noexcept { return now() >= std::min(until, agendas_.next_bound()); }
  bool is_asked() const noexcept { return groups_end(core_.groups).is_asked(); }
  bool is_called() const noexcept { return is_asked() || core_.stopped(); }
  nanoseconds_t ahead_of(nanoseconds_t rung) noexcept;
  bool keeps(nanoseconds_t time) const noexcept;
  // Returns `until`, or the time at which refused work is offered again if that is earlier.
  nanoseconds_t retry_bound(nanoseconds_t until) noexcept;

  void raises() noexcept {
    fences_.count_raise();
    in_.queue().forget_idle();
    in_.critical().forget_idle();
  }
  void begins() noexcept;
  void looked(nanoseconds_t now) noexcept { drive_.split.looked(now); }
  void emptied() noexcept {
    drive_.owes_entries = drive_.record->pushed.size_approx() != 0;  // an interlude may have come after the last batch
    in_.unread().set_left(0);
  }
  // Chooses which side of the doorbell pays for the fence from now on.
  void choose_fence() noexcept;

 private:
  DETENT_NOINLINE std::size_t count_submitted() noexcept;

  engine_core& core_;
  const driver_end in_;
  drive_state& drive_;
  agendas& agendas_;
  outbox& offers_;
  critical_pass& critical_;
  const interlude between_;
  fence_policy fences_;
  stale_filter stale_;
};

DETENT_ALWAYS_INLINE inline void drain_port::accept(std::uint64_t entry) noexcept {
  const node_index index = submission::index(entry);
  node& named = core_.node_at(index);
  if (submission::what(entry) == submission::kind::arm)
    return agendas_.bulk.accept(index, named, submission::generation(entry));
  if (submission::is_reap_of(entry, observe(named.pair))) agendas_.bulk.reap(index, named);
}

DETENT_ALWAYS_INLINE inline void drain_port::prefetch_links(std::uint64_t entry) const noexcept {
  node& named = core_.node_at(submission::index(entry));
  if (submission::what(entry) == submission::kind::arm) {
    agendas_.bulk.prefetch_insert(submission::index(entry), deadline_of(named.pair));
  } else if (named.location < in_due_queue) {
    if (named.next != no_node) base::prefetch_to_write(&core_.node_at(named.next));
    if (named.previous != no_node) base::prefetch_to_write(&core_.node_at(named.previous));
  }
}

// Compiled beside what it calls.
extern template class intake<drain_port>;

}  // namespace detent::detail
