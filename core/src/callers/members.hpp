// SPDX-License-Identifier: MIT
// What any thread does for timers that belong to a group or have a label.
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
// The offset of its group's time; none for a timer of no group.
group_offset offset_of_group(const engine_core& core, node_index index) noexcept;
// Before a start. False: the group has cancelled the timer, and now this has ended it.
bool begin_in_group(engine_core& core, group_run& run, node_index index, std::uint64_t word) noexcept;
// A handed-over timer whose group is paused goes back to the driver as it is, unless a restart or a cancel was faster:
// that holds. `order` is the one it was armed with, so that it keeps its place among equals.
void put_back(engine_core& core, node_index index, std::uint64_t word, std::uint32_t order) noexcept;

void cancel_group(engine_core& core, group_state& group) noexcept;
// Once the engine has stopped, neither has an effect; and a manual clock may be gone then.
void pause_group(engine_core& core, group_state& group) noexcept;
void resume_group(engine_core& core, group_state& group) noexcept;
// Also for what was running when the group was cancelled; the calling thread's own runs go on.
void wait_for_group(engine_core& core, group_state& group) noexcept;
// What ~timer_group does. In the child of a fork nothing can be taken apart.
void end_group(engine_core& core, group_state& group) noexcept;

}  // namespace detent::detail
