// SPDX-License-Identifier: MIT
#include "platform/process.hpp"

#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <pthread.h>
#include <unistd.h>
#endif

namespace detent::detail {

#if defined(DETENT_GROUND_LINUX)
std::int32_t process_number() noexcept { return getpid(); }

bool watch_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(before, in_parent, in_child) == 0;
}
#else
std::int32_t process_number() noexcept { return 0; }
bool watch_forks(void (*)(), void (*)(), void (*)()) noexcept { return true; }
#endif

}  // namespace detent::detail
