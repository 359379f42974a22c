// SPDX-License-Identifier: MIT
// The heavy fence: membarrier(2), for the threads of this process alone.
#include <detent/base/atomic.hpp>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace detent::base {

bool heavy_fence() noexcept { return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; }

bool enable_heavy_fence() noexcept {
  // It is cheap after the first time, and is repeated because a forked child may have to register again.
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

}  // namespace detent::base
