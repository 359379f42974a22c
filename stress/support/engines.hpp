// SPDX-License-Identifier: MIT
#pragma once

#include "support/random.hpp"

#include <detent/detent.hpp>

namespace stress {

// Both wheels, ticks, waits, with and without a reserve: as the seed says. Callbacks run on the worker, or in every
// third engine on a pool that may refuse; nothing is dropped.
detent::engine_options random_options(random_numbers& random);
// The same, with callbacks on the worker.
detent::engine_options inline_options(random_numbers& random);

// At once, or up to 4 us, 64 us, 1 ms, 16 ms from now.
detent::duration random_delay(random_numbers& random);
// `deadline` as the engine rounds it.
detent::time_point rounded(detent::time_point deadline, detent::duration tick);

}  // namespace stress
