// SPDX-License-Identifier: MIT
// Forks of the process.
#pragma once

#include <cstdint>

namespace detent::detail {

// A number that the child of a fork does not share with its parent; always the same where there are no forks. Cheap.
std::int32_t process_number() noexcept;

// From now on `before` is called by a thread that forks, and then one of the others, in the parent and in the child.
// False: there is no memory for it. Nothing to do where there are no forks.
bool watch_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

}  // namespace detent::detail
