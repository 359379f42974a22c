// SPDX-License-Identifier: MIT
// The operations of a handle, and the return of a node. Any thread.
#pragma once

#include <detent/base/compiler.hpp>

#include "callers/engine_core.hpp"
#include "callers/members.hpp"

#include <optional>

namespace detent::detail {

// `wait`: the runner of a running callback wakes the thread that waits for its end.
cancel_result cancel(engine_core& core, node_index index, std::uint32_t generation, bool wait) noexcept;
cancel_result cancel_and_wait(engine_core& core, node_index index, std::uint32_t generation) noexcept;
bool restart(engine_core& core, node_index index, std::uint32_t generation, nanoseconds_t deadline) noexcept;
bool is_pending(const engine_core& core, node_index index, std::uint32_t generation) noexcept;
// The deadline of a timer that is pending, as is_pending() has it; `forever` while its group is paused.
std::optional<nanoseconds_t> deadline_of(const engine_core& core, node_index index, std::uint32_t generation) noexcept;

// Gives the node to the pool, unless its generations are used up.
inline void free_node(engine_core& core, thread_record& mine, node_index index, node& freed) noexcept {
  if (release(freed.pair)) {
    core.pool.free(mine.cache, index);
  } else {
    mine.counts.add(counter::retired);
  }
}

// Called for a timer that is no longer pending: its place is free, and its group and label have one timer less.
inline void end_pending(engine_core& core, node_index index, std::uint64_t word) noexcept {
  core.places.give_back();
  if ((word & state_word::cold) != 0) leave(core, index);
}

// The fast path of cancel(): a plain timer that has not been touched yet. `mine` is the calling thread's record.
DETENT_ALWAYS_INLINE inline bool cancel_plain(engine_core& core, thread_record& mine, node_index index,
                                              std::uint32_t queued_half) noexcept {
  if (!detail::cancel_plain(core.node_at(index).pair, queued_half)) return false;
  core.seen.cancelled(mine, index,
                      std::uint64_t{queued_half} << 32 | index);  // together the id, which the caller has already
  core.pool.free(mine.cache, index);
  return true;
}

// The fast path of restart(), for a keep-alive: a plain timer to a later deadline, if the tick is 1 ns.
DETENT_ALWAYS_INLINE inline bool restart_later(engine_core& core, thread_record& mine, node_index index,
                                               std::uint32_t queued_half, nanoseconds_t deadline) noexcept {
  // Counted before the exchange, because after it the timer may fire, and its callback end the engine.
  bool counted = false;
  const auto count = [&]() noexcept {
    mine.counts.add(counter::restarted);
    counted = true;
  };
  if (!detail::restart_later(core.node_at(index).pair, queued_half, deadline, mine.next_order, count)) {
    if (counted) mine.counts.take_back(counter::restarted);  // another thread was faster
    return false;
  }
  ++mine.next_order;
  return true;
}

}  // namespace detent::detail
