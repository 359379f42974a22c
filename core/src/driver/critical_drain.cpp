// SPDX-License-Identifier: MIT
#include "driver/critical_drain.hpp"

#include <detent/base/compiler.hpp>

#include "limits.hpp"

#include <array>

namespace detent::detail {

drained critical_drain::drain_much(std::size_t submitted, bool until_due) noexcept {
  std::array<std::uint64_t, limits::critical_batch> taken;
  const std::size_t most = 2 * submitted + limits::spare_slices * taken.size();
  for (std::size_t accepted = 0; accepted <= most;) {
    const std::size_t count = in_.critical().take(taken.data(), taken.size());
    if (count != 0) note(count);
    for (std::size_t at = 0; at != count; ++at) {
      if (at + limits::fetch_node_ahead < count)
        base::prefetch_to_write(&core_.node_at(submission::index(taken[at + limits::fetch_node_ahead])));
      accept(taken[at]);
    }
    accepted += count;
    if (count < taken.size()) return {accepted != 0, true};
    if (until_due && core_.time.now() >= agenda_.next_bound()) break;
  }
  return {true, false};
}

void critical_drain::note(std::size_t count) noexcept {
  drive_.split.drain_begins();
  DETENT_PROBE(drain, &core_, count);
  drive_.record->counts.add(counter::drains);
  drive_.record->counts.add(counter::drained, count);
}

// A raise of the wake time forgets them as well, but a poll() has none.
void critical_drain::forget() noexcept {
  if (!in_.critical().is_forgetting_due(in_.bell().asymmetric())) return;
  in_.critical().forget_idle();
  in_.bell().fence_driver();
}

void critical_drain::accept(std::uint64_t entry) noexcept {
  const node_index index = submission::index(entry);
  node& named = core_.node_at(index);
  if (submission::what(entry) == submission::kind::arm)
    return agenda_.accept(index, named, submission::generation(entry));
  if (submission::is_reap_of(entry, observe(named.pair))) agenda_.reap(index, named);
}

}  // namespace detent::detail
