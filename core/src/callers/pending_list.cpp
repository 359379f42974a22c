// SPDX-License-Identifier: MIT
// The pending timers one by one, read while other threads go on with them.
#include "engine/engine_core.hpp"

#include <algorithm>

namespace detent::detail {

// A node's word is looked at before and behind the rest: if both are of one life, the rest is of that life. None: it is
// not pending, or was on its way from one state to another at every look.
std::optional<pending_timer> engine_core::describe_pending(node_index index, nanoseconds_t now) const noexcept {
  const node& of = node_at(index);
  for (std::uint64_t word = observe(of.pair), again;; word = again) {
    const timer_state state = state_word::state(word);
    const bool runs = state == timer_state::firing;
    if (runs ? (word & (state_word::periodic | state_word::last)) != state_word::periodic : !state_word::pending(state))
      return std::nullopt;
    pending_timer told{};
    nanoseconds_t deadline = deadline_between_looks(of.pair);
    told.handle = timer_access::make(const_cast<engine_core*>(this), index, state_word::generation(word));
    told.state = runs                               ? "running"
                 : state == timer_state::queued     ? "queued"
                 : state == timer_state::dispatched ? "dispatched"
                                                    : "armed";
    bool cancelled = false;
    if ((word & state_word::cold) != 0) {
      told.label = labels_.named(cold_at(index).label());
      if (const group_state* group = nodes_.group_of(index)) {
        cancelled = is_cancelled_in_group(index);
        const bool paused = group->paused();
        if (paused && !runs) told.state = "paused";
        deadline = paused ? forever : nodes_.due_time(index, word, deadline);
      }
    }
    if (captures_origin_) {
      const origin_record& origin = nodes_.origin(index);
      told.file = origin.file();
      told.line = origin.line();
      // Younger than `now`, perhaps.
      told.age = duration(std::max<nanoseconds_t>(subtract_saturated(now, origin.scheduled()), 0));
    }
    told.deadline = to_time(deadline);
    again = observe(of.pair);
    if (again == word) return cancelled ? std::nullopt : std::optional(told);
  }
}

std::vector<pending_timer> engine_core::list_pending() const {
  std::vector<pending_timer> told;
  told.reserve(pending());
  const nanoseconds_t now = time_.now();
  const node_index end = pool_.carved();
  for (node_index index = 0; index < end; ++index) {
    if (std::optional<pending_timer> each = describe_pending(index, now)) told.push_back(*each);
  }
  return told;
}

}  // namespace detent::detail
