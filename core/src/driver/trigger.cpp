// SPDX-License-Identifier: MIT
#include "driver/trigger_steps.hpp"

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

// Nothing is counted until it starts.
lateness_parts trigger::late_at_hand_over(const due_entry& due, nanoseconds_t now) const noexcept {
  if constexpr (!base::counts_causes) return {};
  return drive_.split.split(due.deadline, std::max<nanoseconds_t>(subtract_saturated(now, due.deadline), 0),
                            due.taken_up);
}

}  // namespace detent::detail
