// SPDX-License-Identifier: MIT
// The common steps of scheduling one timer and scheduling many. Any thread.
#pragma once

#include <detent/unfired_timer.hpp>

#include "callers/engine_core.hpp"
#include "threads/driver_port.hpp"

#include <cstddef>
#include <vector>

namespace detent::detail {

// Returns whether the timer leaves the node's cold part untouched.
bool is_plain(const engine_core& core, const plan& when) noexcept;
// Returns whether the timer is critical, and not of the bulk.
bool is_critical(const plan& when) noexcept;
// Returns whether the timer's options can be met.
bool is_possible(const engine_core& core, const plan& when) noexcept;
// Counts timers for which there was no place.
void count_over_capacity(engine_core& core, std::size_t timers) noexcept;
// Puts the properties that few timers have in the node's cold part, and returns the flags that say so. `grid` is the
// first deadline of a periodic timer, before it is rounded.
std::uint64_t describe(engine_core& core, node_index index, const plan& when, nanoseconds_t grid) noexcept;

// Moves a timer that this thread moved to `returned` to `out`, or destroys it if that is null. Its node may still be in
// a wheel that no thread turns, so it is not freed, but ends with the pool. Returns false if `out` has no memory for
// it.
bool return_timer(engine_core& core, thread_record& mine, node_index index, node& returned,
                  std::vector<unfired_timer>* out) noexcept;
// Destroys a timer that this thread moved to `returned`, because its engine was closed or stopped after the push and
// its schedule call is refused. Its counts are taken back. A closed engine goes on, so the node is freed; its entry is
// stale then.
void withdraw(engine_core& core, thread_record& mine, node_index index, node& returned) noexcept;

}  // namespace detent::detail
