// SPDX-License-Identifier: MIT
#include "platform/process.hpp"

#include <pthread.h>
#include <unistd.h>

namespace detent::detail {

std::int32_t process_number() noexcept { return getpid(); }

bool watch_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(before, in_parent, in_child) == 0;
}

}  // namespace detent::detail
