// SPDX-License-Identifier: MIT
// A timer group, and its time.
#pragma once

#include "spec/time_rules.hpp"

namespace detent::spec {

using group_id = std::uint32_t;
inline constexpr group_id no_group = 0;

// "A group has a time of its own, which stops while the group is paused, and its members' deadlines are in that time.
// Each member therefore keeps its remaining time, and a fixed-rate timer keeps its grid. Nothing is missed, so there is
// no burst." (groups.md)
struct group {
  bool paused = false;
  bool ended = false;
  nanoseconds_t behind = 0;     // the engine's time minus the group's, while the group is not paused
  nanoseconds_t stands_at = 0;  // the group's own time while it is paused
  // It was resumed, and the driver has not yet gone through its members.
  bool unswept = false;
  // The turn of a member that was handed over came during a pause, and the driver has not gathered the others yet.
  bool scattered = false;

  // "Has no effect if the group is paused already." (timer_group::pause)
  void pause(nanoseconds_t now) {
    if (paused) return;
    stands_at = minus(now, behind);
    paused = true;
  }
  // "Timers go on where they were, without a burst." (timer_group::resume)
  void resume(nanoseconds_t now) {
    if (!paused) return;
    behind = minus(now, stands_at);
    paused = false;
    unswept = true;
  }

  // Returns by how much the engine's time is ahead of the group's. "A timer that is scheduled or restarted during the
  // pause counts from the resumption." (groups.md) During a pause, the offset therefore grows with the engine's time.
  nanoseconds_t offset(nanoseconds_t now) const { return paused ? minus(now, stands_at) : behind; }
  // Converts a deadline on the engine's clock into the member's. "`time_point::max()` is the same in both times."
  // (groups.md)
  nanoseconds_t kept(nanoseconds_t deadline, nanoseconds_t now) const {
    return deadline == end_of_time ? deadline : minus(deadline, offset(now));
  }
  // Converts it back, as if a paused group were resumed at `now`.
  nanoseconds_t deadline_of(nanoseconds_t kept, nanoseconds_t now) const {
    return kept == end_of_time ? kept : plus(kept, offset(now));
  }
};

}  // namespace detent::spec
