// SPDX-License-Identifier: MIT
#include "driver/driver.hpp"

#include <detent/base/compiler.hpp>

#include <utility>

namespace detent::detail {
DETENT_COLD driver::driver(engine_core& core)
    : core_(core),
      in_(core.in),
      groups(core),
      timers(core, state, groups),
      offers(core, state),
      fires(core, state, groups, offers),
      critical(core, *this, state, timers.critical, fires, offers),
      entries(core, state, timers, offers, critical),
      drains(entries, in_.bell()),
      pass(core, state, timers, offers, fires, critical, entries, drains) {
  core.life.set_turn_port(*this);
}

void driver::sweep_groups(std::size_t most_members) noexcept {
  critical.drain();  // a group's members are in the wheels before they are looked for
  groups.sweep(
      most_members, [this] { drains.request_drain(); },
      [this](node_index index, node& member, std::uint64_t word, bool gathers) {
        timers.of(index, word).refile(index, member, word);
        if (gathers) timers.recall(index, member, word);
      });
}

void driver::relieve_backlog(nanoseconds_t now) noexcept {
  backlog& unread = in_.unread();
  if (!unread.is_full(now)) return;
  drains.drain_critical();
  drains.relieve(unread.may_stay(), forever);
  unread.set_left(in_.queue().size());
}

void driver::set_gauges() noexcept {
  counters_block& counts = core_.counts;
  counts.set(gauge::backlog, static_cast<std::int64_t>(in_.queue().size() + in_.critical().size()));
  counts.set(gauge::last_pass, state.pass_now);
  counts.set(gauge::next_deadline, timers.next_bound());
  if (core_.seen.recording != nullptr)
    counts.set(gauge::record_dropped, static_cast<std::int64_t>(core_.seen.recording->dropped()));
  if (core_.by.tsc != nullptr)
    counts.set(gauge::clock_distrusted, static_cast<std::int64_t>(core_.by.tsc->distrusted()));
  counts.set(gauge::retries, static_cast<std::int64_t>(offers.retries()));
}

nanoseconds_t driver::announce(nanoseconds_t until) noexcept {
  entries.choose_fence();
  return drains.announce(until);
}

void driver::warm_up() {
  timers.warm_up();
  state.record->warm_up();
  const auto fetch = [](const void* begin, const void* end) {
    for (auto* each = static_cast<const std::byte*>(begin); each < end; each += 64) base::prefetch_to_write(each);
  };
  fetch(&core_, &core_.pages);  // the options and the state of the engine
  // Leaves out the batches and the wheels of critical timers. warm_up() of their agendas reads what is needed of those.
  fetch(this, reinterpret_cast<const std::byte*>(&timers.critical) + 64);
  fetch(&offers, &drains);
  fetch(&pass, &pass + 1);
  fetch(&core_.ledger, &core_.ledger + 1);
}

}  // namespace detent::detail
