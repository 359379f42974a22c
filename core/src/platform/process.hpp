// SPDX-License-Identifier: MIT
// Forks of the process.
#pragma once

#include <cstdint>

namespace detent::detail {

// Returns a number that a forked child does not share with its parent. It is constant on a platform without forks.
// Cheap.
std::int32_t process_number() noexcept;

// From now on, a thread that forks calls `before`, and then one of the others in the parent and in the child. Returns
// false if there is no memory for it. Does nothing on a platform without forks.
bool watch_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

}  // namespace detent::detail
