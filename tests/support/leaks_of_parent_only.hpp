// SPDX-License-Identifier: MIT
// For a program whose tests fork, in its one source: children that end by exit() are not searched for leaks. The
// check would find what threads held that only the parent has; the parent's own is made as ever.
#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace detent::drive {

inline const pid_t checked_for_leaks = getpid();

}  // namespace detent::drive

// The leak sanitizer calls this before it checks.
extern "C" [[gnu::used]] inline int __lsan_is_turned_off() { return getpid() != detent::drive::checked_for_leaks; }
