// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace detent::detail {

// The namespaces of this process, which give process ids and monotonic times their meaning. If /proc does not tell, all
// are 0, which is right on a kernel without such namespaces.
struct name_spaces {
  std::uint64_t processes = 0;         // the inode of /proc/self/ns/pid
  std::int64_t monotonic_offset = 0;   // nanoseconds by which CLOCK_MONOTONIC is ahead of the host's
  std::int64_t since_boot_offset = 0;  // the same for CLOCK_BOOTTIME
};
name_spaces name_spaces_of_this_process() noexcept;

}  // namespace detent::detail
