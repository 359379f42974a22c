// SPDX-License-Identifier: MIT
// The private limits of the pools; the engine's limits.hpp says what such limits are.
#pragma once

#include <detent/base/limit.hpp>

#include <cstddef>
#include <cstdint>

namespace detent::detail::limits {

using base::limit;

// The work for which a thread pool reserves room, unless its capacity is smaller; and the size of its blocks, a power
// of two.
inline constexpr std::size_t pool_ahead = limit(16'384, 8), pool_block = limit(64, 4);
// The number of looks at a pool's queue before a thread sleeps; a look takes a nanosecond.
inline constexpr int pool_spins = limit(100, 1);
// The number of timers of one strand that run in a row before other strands have their turn.
inline constexpr std::size_t strand_row = limit(32, 2);
// The number of adjacent places in a block of a strand's timers.
inline constexpr std::uint32_t strand_places = limit(8, 2);
// The number of timers whose keys are read before a keyed pool's lock is taken once for all of them.
inline constexpr std::size_t keyed_at_once = limit(64, 2);
// The number of tries for that lock, which is held for about a microsecond. A sleep and a wake-up would cost more.
inline constexpr int lock_tries = limit(200, 1);

}  // namespace detent::detail::limits
