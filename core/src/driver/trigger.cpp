// SPDX-License-Identifier: MIT
#include "driver/trigger.hpp"

#include "callers/cancel.hpp"

#include <algorithm>

namespace detent::detail {

// In an engine that does not run straight, or with a cold part.
trigger::step trigger::fire_inline(const due_entry& due, node& next, std::uint64_t& word, nanoseconds_t deadline,
                                   nanoseconds_t& now) {
  now = std::max(now, drive_.higher_now);  // a critical one may be due by that
  group_run in_group;
  if ((word & state_word::cold) != 0 && !begin_in_group(core_, in_group, due.index, word)) return step::nothing;
  const std::uint64_t armed = word;
  if (start_armed(next.pair, word, deadline) == transition::lost) return step::again;
  const bool ran = run(core_, *drive_.record, due.index, armed, now, arrival(drive_.split, due.taken_up));
  drive_.split.looked_again(now);
  return ran ? step::fired : step::nothing;
}

// For a periodic timer, in an engine that runs_straight.
trigger::step trigger::fire_period(agenda& from, const due_entry& due, node& next, std::uint64_t& word,
                                   nanoseconds_t deadline, nanoseconds_t& now) {
  if (!has_plain_period(core_, due.index)) return fire_inline(due, next, word, deadline, now);
  group_run in_group;
  if (!begin_in_group(core_, in_group, due.index, word)) return step::nothing;
  const std::uint64_t armed = word;
  if (start_armed(next.pair, word, deadline) == transition::lost) [[unlikely]]
    return step::again;
  run_as<run_kind::period>(
      core_, *drive_.record, {due.index, next, armed, due.deadline}, now, arrival(drive_.split, due.taken_up),
      [&](node_index index, node& again) { from.insert_again(index, again, observe(again.pair), keeps_order()); });
  drive_.split.looked_again(now);
  return step::fired;
}

trigger::step trigger::hand_over(agenda& from, const due_entry& due, node& next, std::uint64_t& word,
                                 nanoseconds_t deadline, nanoseconds_t& now) noexcept {
  now = std::max(now, drive_.higher_now);  // as in fire_inline()
  if ((word & state_word::cold) != 0) {
    if (is_cancelled_in_group(core_, due.index)) {
      cancel(core_, due.index, state_word::generation(word), false);
      return step::nothing;
    }
    group_state* const group = core_.nodes.group_of(due.index);
    if (group != nullptr && !groups_end::is_in_order(*group)) {  // it may overtake others
      groups_.sweep_soon(*group);
      from.insert_again(due.index, next, observe(next.pair), false);
      return step::nothing;
    }
    // It is too stale already: no executor hears of it, and it is dropped here.
    const cold_node& cold = core_.cold_at(due.index);
    if ((word & state_word::periodic) == 0 && cold.stale == stale_policy::drop &&
        subtract_saturated(now, due.deadline) > cold.max_lateness) [[unlikely]]
      return fire_inline(due, next, word, deadline, now);
    next.previous = due.order;  // for a recall
  }
  const std::uint32_t count = ++hand_overs_ & state_word::order_mask;
  if (detail::hand_over(next.pair, word, deadline, count) == transition::lost) return step::again;
  outbox_.add(due, word, late_at_hand_over(due, now));
  // One by one in poll(): an executor may run each at once, and what that cancels or arms counts for the next.
  if (drive_.polling) outbox_.flush();
  if (outbox_.empty()) {
    now = core_.time.certain();  // the hand-over may have taken long
    drive_.split.looked_again(now);
  }
  return step::fired;
}

// Nothing is counted until it starts.
lateness_parts trigger::late_at_hand_over(const due_entry& due, nanoseconds_t now) const noexcept {
  if constexpr (!base::counts_causes) return {};
  return drive_.split.split(due.deadline, std::max<nanoseconds_t>(subtract_saturated(now, due.deadline), 0),
                            due.taken_up);
}

}  // namespace detent::detail
