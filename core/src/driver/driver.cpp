// SPDX-License-Identifier: MIT
#include "driver/driver.hpp"

#include "driver/driver_handle.hpp"

#include <utility>

namespace detent::detail {
namespace {

// A member that an executor has not started comes back as it was armed, and so does one that is on its way back. If it
// sets out at this moment, the thread that sends it may be held up before its entry is in the queue: it is taken here.
void recall(agenda& to, node_index index, node& member, std::uint64_t word) noexcept {
  const std::uint32_t generation = state_word::generation(word);
  while (state_word::state(word) == timer_state::dispatched && state_word::generation(word) == generation) {
    if (exchange_word(member.pair, word, state_word::recalled(word, member.previous)))
      return to.insert(index, member, false);
  }
  if (state_word::state(word) == timer_state::queued) to.accept(index, member, generation, false);
}

}  // namespace

[[gnu::cold]] driver::driver(engine_core& core)
    : core_(core),
      groups_(core),
      agenda_(core, state_, groups_),
      outbox_(core, state_),
      entries_(core, state_, agenda_, outbox_, {expiry::overtake, &expiry_}),
      intake_(entries_, core.in.bell),
      expiry_(core, *this, state_, agenda_, groups_, outbox_, entries_, intake_) {
  core.life.set_turn_port(*this);
}

void driver::sweep_groups(std::size_t most_members) noexcept {
  groups_.sweep(
      most_members, [this] { intake_.request_drain(); },
      [this](node_index index, node& member, std::uint64_t word, bool gathers) {
        agenda_.refile(index, member, word);
        if (gathers) recall(agenda_, index, member, word);
      });
}

void driver::relieve_backlog(nanoseconds_t now) noexcept {
  backlog& unread = core_.in.unread;
  if (!unread.is_full(now)) return;
  intake_.relieve(unread.may_stay(), forever);
  unread.set_left(core_.in.queue.size());
}

void driver::set_gauges() noexcept {
  counters_block& counts = core_.counts;
  counts.set(gauge::backlog, static_cast<std::int64_t>(core_.in.queue.size()));
  counts.set(gauge::last_pass, state_.pass_now);
  counts.set(gauge::next_deadline, agenda_.next_bound());
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
  agenda_.warm_up();
  state_.record->warm_up();
  const auto fetch = [](const void* begin, const void* end) {
    for (auto* each = static_cast<const std::byte*>(begin); each < end; each += 64) __builtin_prefetch(each, 1);
  };
  fetch(&core_, &core_.pages);  // the options and the state of the engine
  fetch(this, &intake_);        // all but the batches
  fetch(&expiry_, &expiry_ + 1);
  fetch(&core_.ledger, &core_.ledger + 1);
}

[[gnu::cold]] void driver_end::operator()(driver* ended) const noexcept { delete ended; }
driver_handle make_driver(engine_core& core) { return driver_handle(new driver(core)); }
void set_ended(driver& drives) noexcept { drives.set_ended(); }
void clear_retries(driver& drives) noexcept { drives.clear_retries(); }

}  // namespace detent::detail
