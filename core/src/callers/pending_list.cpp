// SPDX-License-Identifier: MIT
// The pending timers one by one, read while other threads go on with them.
#include "callers/pending_list.hpp"

#include "callers/members.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

// A node's word is read before and after the rest: if both are of one generation, the rest is of that generation.
// Returns nothing if it is not pending, or was on its way from one state to another each time.
std::optional<pending_timer> describe_pending(engine_core& core, node_index index, nanoseconds_t now) noexcept {
  const node& of = core.node_at(index);
  for (std::uint64_t word = observe(of.pair), again;; word = again) {
    const timer_state state = state_word::state(word);
    const bool runs = state == timer_state::firing;
    if (runs ? (word & (state_word::periodic | state_word::last)) != state_word::periodic : !state_word::pending(state))
      return std::nullopt;
    pending_timer found{};
    nanoseconds_t deadline = deadline_between_looks(of.pair);
    found.handle = timer_access::make(&core, index, state_word::generation(word));
    found.state = runs                               ? "running"
                  : state == timer_state::queued     ? "queued"
                  : state == timer_state::dispatched ? "dispatched"
                                                     : "armed";
    bool cancelled = false;
    if ((word & state_word::cold) != 0) {
      found.label = core.labels.named(core.cold_at(index).label());
      found.tag = core.cold_at(index).tag();
      if (const group_state* group = core.nodes.group_of(index)) {
        cancelled = is_cancelled_in_group(core, index);
        const bool paused = group->paused();
        if (paused && !runs) found.state = "paused";
        deadline = paused ? forever : core.nodes.due_time(index, word, deadline);
      }
    }
    if (core.captures_origin) {
      const origin_record& origin = core.nodes.origin(index);
      found.file = origin.file();
      found.line = origin.line();
      // Scheduled after `now`, perhaps.
      found.age = duration(std::max<nanoseconds_t>(subtract_saturated(now, origin.scheduled()), 0));
    }
    found.deadline = to_time(deadline);
    again = observe(of.pair);
    if (again == word) return cancelled ? std::nullopt : std::optional(found);
  }
}

}  // namespace

std::uint64_t count_pending(const engine_core& core) noexcept {
  const thread_registry& threads = core.threads;
  std::uint64_t ends = threads.total(counter::cancelled) + threads.total(counter::returned) +
                       threads.total(counter::dropped) + threads.total(counter::started_last);
  std::uint64_t beginnings = threads.total(counter::scheduled) + threads.total(counter::revived);
  return beginnings - ends;
}

std::vector<pending_timer> list_pending(engine_core& core) {
  std::vector<pending_timer> found;
  found.reserve(count_pending(core));
  const nanoseconds_t now = core.time.now();
  const node_index end = core.pool.carved();
  for (node_index index = 0; index < end; ++index) {
    if (std::optional<pending_timer> each = describe_pending(core, index, now)) found.push_back(*each);
  }
  return found;
}

}  // namespace detent::detail
