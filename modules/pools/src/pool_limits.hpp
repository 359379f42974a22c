// SPDX-License-Identifier: MIT
// The private limits of the pools; the engine's limits.hpp says what such limits are.
#pragma once

#include <detent/base/limit.hpp>

#include <cstddef>
#include <cstdint>

namespace detent::detail::limits {

using base::limit;

// A thread pool has room for this much work ahead, unless its capacity is smaller, in blocks of so many: a power of
// two.
inline constexpr std::size_t pool_ahead = limit(16'384, 8), pool_block = limit(64, 4);
// Looks at the queue of a pool before a thread sleeps, a nanosecond each.
inline constexpr int pool_spins = limit(100, 1);
// Timers of one strand that run in a row before the others have their turn.
inline constexpr std::size_t strand_row = limit(32, 2);
// Places of a block of a strand's timers, which lie side by side.
inline constexpr std::uint32_t strand_places = limit(8, 2);
// Timers whose keys are read before the lock of a keyed pool is taken once for all of them.
inline constexpr std::size_t keyed_at_once = limit(64, 2);
// Tries for that lock, which is held for about a microsecond: a sleep and a wake-up cost more.
inline constexpr int lock_tries = limit(200, 1);

}  // namespace detent::detail::limits
