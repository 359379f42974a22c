// SPDX-License-Identifier: MIT
// The additional work for timers that belong to a group or have a label. Any thread.
#pragma once

#include "callers/engine_core.hpp"

namespace detent::detail {

inline label_block* label_of(const engine_core& core, node_index index, std::uint64_t word) noexcept {
  return (word & state_word::cold) == 0 ? nullptr : core.labels.find(core.cold_at(index));
}

// Called for a timer with a cold part that is no longer pending, or is pending once more.
void leave(engine_core& core, node_index index) noexcept;
void rejoin(engine_core& core, node_index index) noexcept;

bool is_cancelled_in_group(const engine_core& core, node_index index) noexcept;
// Returns whether the calling thread is inside a cancelled run of the group, or of another part of the same sharded
// group.
bool comes_from_cancelled_run(const group_state& group) noexcept;
// The offset of its group's time; zero for a timer without a group.
group_offset offset_of_group(const engine_core& core, node_index index) noexcept;
// The epoch of a new member. If it comes from a run for which an awaited cancel waits, it gets an earlier epoch, so it
// is cancelled too.
inline std::uint32_t epoch_of_new_member(const group_state& group) noexcept {
  const std::uint32_t epoch = group.epoch();
  return group.is_cancel_awaited() && comes_from_cancelled_run(group) ? epoch - 1 : epoch;
}
// To be called before a start. Returns false if the group has cancelled the timer, and this call has ended it.
bool begin_in_group(engine_core& core, group_run& run, node_index index, std::uint64_t word) noexcept;
// Returns whether a handed-over timer whose turn has come goes back, because its group is paused or takes its members
// back.
bool goes_back(const engine_core& core, node_index index, std::uint64_t word) noexcept;
// Gives such a timer back to the driver as it is, unless a restart or a cancel was faster, which then holds. `order` is
// the one with which it was armed, so it keeps its place among equals. The driver gathers the timers of the group that
// have not come back yet.
void put_back(engine_core& core, node_index index, std::uint64_t word, std::uint32_t order) noexcept;

void cancel_group(engine_core& core, group_state& group) noexcept;
// Neither has an effect once the engine has stopped, because a manual clock may be gone then.
void pause_group(engine_core& core, group_state& group) noexcept;
void resume_group(engine_core& core, group_state& group) noexcept;
// A cancel that waits: the first call begins it and the second ends it, so that a cancel over several groups cancels
// all of them before it waits.
void begin_awaited_cancel(engine_core& core, group_state& group) noexcept;
inline void end_awaited_cancel(group_state& group) noexcept { group.end_awaited_cancel(); }
// The two halves of ~timer_group. The first refuses and cancels from now on, once. The second waits, and releases the
// group. In the child of a fork nothing can be taken apart.
void begin_end_of_group(engine_core& core, group_state& group) noexcept;
void end_group(engine_core& core, group_state& group) noexcept;
// Waits until the runs that were going on when the group was cancelled have ended, except the calling thread's own.
void wait_for_group(engine_core& core, group_state& group) noexcept;

}  // namespace detent::detail
