// SPDX-License-Identifier: MIT
// An engine whose memory is to be locked gets no more of it while this exists, whatever the machine has.
#pragma once

#ifdef __linux__
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace detent::testing {

#ifdef __linux__

// Takes from this thread the capability by which root may lock any memory, and from the process the limit that others
// may lock. Locked memory stays locked. The destructor, on the same thread, restores both.
class unlockable_memory {
 public:
  unlockable_memory() noexcept {
    getrlimit(RLIMIT_MEMLOCK, &limit_);
    rlimit none = limit_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_MEMLOCK, &none);
    syscall(SYS_capget, &thread_, capabilities_);
    __user_cap_data_struct fewer[2] = {capabilities_[0], capabilities_[1]};
    fewer[0].effective &= ~(1u << CAP_IPC_LOCK);
    syscall(SYS_capset, &thread_, fewer);
  }
  unlockable_memory(const unlockable_memory&) = delete;
  unlockable_memory& operator=(const unlockable_memory&) = delete;
  ~unlockable_memory() {
    syscall(SYS_capset, &thread_, capabilities_);
    setrlimit(RLIMIT_MEMLOCK, &limit_);
  }

 private:
  rlimit limit_{};
  __user_cap_header_struct thread_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct capabilities_[2] = {};
};
#else
class unlockable_memory {};  // such a system refuses engines that want their memory locked
#endif

}  // namespace detent::testing
