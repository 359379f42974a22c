// SPDX-License-Identifier: MIT
// The drive by a caller: poll(), the next deadline, and a descriptor for an event loop.
#pragma once

#include "callers/engine_core.hpp"

#include <cstddef>
#include <optional>

namespace detent::detail {

class driver;

// Each throws if another thread drives, if it is called from a callback that poll() runs, or if a worker drives.
std::size_t poll(engine_core& core, driver& drives, std::size_t max_callbacks);
// The two parts of poll(), as poll_held() and settle_held() (stoppable.hpp).
std::size_t poll_unsettled(engine_core& core, driver& drives, std::size_t max_callbacks);
bool settle(engine_core& core, driver& drives, nanoseconds_t rests_until);
// Exact if no more than `looks` timers share the earliest slot of a wheel; else it may be early.
std::optional<nanoseconds_t> next_deadline(engine_core& core, driver& drives, int looks);
int open_wake_fd(engine_core& core, driver& drives);

}  // namespace detent::detail
