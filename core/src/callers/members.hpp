// SPDX-License-Identifier: MIT
// The additional work for timers that belong to a group or have a label. Any thread.
#pragma once

#include "callers/engine_core.hpp"

namespace detent::detail {

inline label_block* label_of(const engine_core& core, node_index index, std::uint64_t word) noexcept {
  return (word & state_word::cold) == 0 ? nullptr : core.labels.find(core.cold_at(index));
}

// A timer with a cold part is no longer pending, or pending once more.
void leave(engine_core& core, node_index index) noexcept;
void rejoin(engine_core& core, node_index index) noexcept;

bool is_cancelled_in_group(const engine_core& core, node_index index) noexcept;
// Whether the calling thread is inside a cancelled run of the group, or of another part of the sharded group that it is
// of.
bool comes_from_cancelled_run(const group_state& group) noexcept;
// The offset of its group's time; none for a timer of no group.
group_offset offset_of_group(const engine_core& core, node_index index) noexcept;
// The epoch of a new member. One that comes from a run which an awaited cancel waits for is cancelled, too: its epoch
// is an earlier one.
inline std::uint32_t epoch_of_new_member(const group_state& group) noexcept {
  const std::uint32_t epoch = group.epoch();
  return group.is_cancel_awaited() && comes_from_cancelled_run(group) ? epoch - 1 : epoch;
}
// Before a start. False: the group has cancelled the timer, and now this has ended it.
bool begin_in_group(engine_core& core, group_run& run, node_index index, std::uint64_t word) noexcept;
// Whether a handed-over timer whose turn has come goes back: because its group is paused, or takes its members back.
bool goes_back(const engine_core& core, node_index index, std::uint64_t word) noexcept;
// Such a timer goes to the driver as it is, unless a restart or a cancel was faster:
// that holds. `order` is the one it was armed with, so that it keeps its place among equals. The driver gathers those
// of the group that have not come back yet.
void put_back(engine_core& core, node_index index, std::uint64_t word, std::uint32_t order) noexcept;

void cancel_group(engine_core& core, group_state& group) noexcept;
// Once the engine has stopped, neither has an effect; and a manual clock may be gone then.
void pause_group(engine_core& core, group_state& group) noexcept;
void resume_group(engine_core& core, group_state& group) noexcept;
// A cancel that waits: the first begins it and the last ends it, so that one over several groups cancels all of them
// before it waits.
void begin_awaited_cancel(engine_core& core, group_state& group) noexcept;
inline void end_awaited_cancel(group_state& group) noexcept { group.end_awaited_cancel(); }
// The two halves of what ~timer_group does: refuses and cancels from now on, once; then waits, and lets go of the
// group. In the child of a fork nothing can be taken apart.
void begin_end_of_group(engine_core& core, group_state& group) noexcept;
void end_group(engine_core& core, group_state& group) noexcept;
// Until what was running when the group was cancelled has ended; the calling thread's own runs go on.
void wait_for_group(engine_core& core, group_state& group) noexcept;

}  // namespace detent::detail
