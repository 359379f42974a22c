// SPDX-License-Identifier: MIT
#include "driver/driver.hpp"

#include "driver/driver_handle.hpp"

#include <utility>

namespace detent::detail {
[[gnu::cold]] driver::driver(engine_core& core)
    : core_(core),
      in_(core.in),
      groups_(core),
      agendas_(core, state_, groups_),
      outbox_(core, state_),
      trigger_(core, state_, groups_, outbox_),
      critical_(core, *this, state_, agendas_.critical, trigger_, outbox_),
      entries_(core, state_, agendas_, outbox_, critical_),
      intake_(entries_, in_.bell()),
      expiry_(core, state_, agendas_, outbox_, trigger_, critical_, entries_, intake_) {
  core.life.set_turn_port(*this);
}

void driver::sweep_groups(std::size_t most_members) noexcept {
  critical_.drain();  // a group's members are in the wheels before they are looked for
  groups_.sweep(
      most_members, [this] { intake_.request_drain(); },
      [this](node_index index, node& member, std::uint64_t word, bool gathers) {
        agendas_.refile(index, member, word);
        if (gathers) agendas_.recall(index, member, word);
      });
}

void driver::relieve_backlog(nanoseconds_t now) noexcept {
  backlog& unread = in_.unread();
  if (!unread.is_full(now)) return;
  intake_.drain_critical();
  intake_.relieve(unread.may_stay(), forever);
  unread.set_left(in_.queue().size());
}

void driver::set_gauges() noexcept {
  counters_block& counts = core_.counts;
  counts.set(gauge::backlog, static_cast<std::int64_t>(in_.queue().size() + in_.critical().size()));
  counts.set(gauge::last_pass, state_.pass_now);
  counts.set(gauge::next_deadline, agendas_.next_bound());
  if (core_.seen.recording != nullptr)
    counts.set(gauge::record_dropped, static_cast<std::int64_t>(core_.seen.recording->dropped()));
  if (core_.by.tsc != nullptr)
    counts.set(gauge::clock_distrusted, static_cast<std::int64_t>(core_.by.tsc->distrusted()));
  counts.set(gauge::retries, static_cast<std::int64_t>(outbox_.retries()));
}

nanoseconds_t driver::announce(nanoseconds_t until) noexcept {
  entries_.choose_fence();
  return intake_.announce(until);
}

void driver::warm_up() {
  agendas_.warm_up();
  state_.record->warm_up();
  const auto fetch = [](const void* begin, const void* end) {
    for (auto* each = static_cast<const std::byte*>(begin); each < end; each += 64) __builtin_prefetch(each, 1);
  };
  fetch(&core_, &core_.pages);  // the options and the state of the engine
  fetch(this, &intake_);        // all but the batches
  fetch(&expiry_, &expiry_ + 1);
  fetch(&core_.ledger, &core_.ledger + 1);
}

[[gnu::cold]] void driver_deleter::operator()(driver* ended) const noexcept { delete ended; }
driver_handle make_driver(engine_core& core) { return driver_handle(new driver(core)); }
void set_ended(driver& drives) noexcept { drives.set_ended(); }
void clear_retries(driver& drives) noexcept { drives.clear_retries(); }

}  // namespace detent::detail
