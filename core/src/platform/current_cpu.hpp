// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <sched.h>
#endif

namespace detent::detail {

// Returns the CPU on which the calling thread runs at this moment, or 0 if the platform does not know. Takes some
// nanoseconds.
inline int current_cpu() noexcept {
#if defined(DETENT_GROUND_LINUX)
  return sched_getcpu();
#else
  return 0;
#endif
}

}  // namespace detent::detail
