// SPDX-License-Identifier: MIT
// The steps that scheduling one timer and scheduling many have in common. Any thread.
#pragma once

#include <detent/unfired_timer.hpp>

#include "callers/engine_core.hpp"
#include "threads/driver_port.hpp"

#include <vector>

namespace detent::detail {

// Whether it leaves the node's cold part untouched.
bool is_plain(const engine_core& core, const plan& when) noexcept;
// Whether it is critical, and not of the bulk.
bool is_critical(const plan& when) noexcept;
// Whether its options can be met.
bool is_possible(const engine_core& core, const plan& when) noexcept;
// Puts the properties that few timers have in the node's cold part. Returns the flags that say so. `grid` is the first
// deadline of a periodic one, before it is rounded.
std::uint64_t describe(engine_core& core, node_index index, const plan& when, nanoseconds_t grid) noexcept;

// A timer that this thread moved to `returned` goes to `out`, or is destroyed if that is null. Its node may still be
// in a wheel that no thread turns: it is not freed, but goes with the pool. False: `out` has no memory for it.
bool return_timer(engine_core& core, thread_record& mine, node_index index, node& returned,
                  std::vector<unfired_timer>* out) noexcept;
// Of a timer that this thread moved to `returned`, as its engine was closed or stopped after the push and its schedule
// call is refused: it is destroyed, and what was counted of it is taken back. Closed, the engine goes on, so the node
// is freed; its entry is stale then.
void withdraw(engine_core& core, thread_record& mine, node_index index, node& returned) noexcept;

}  // namespace detent::detail
