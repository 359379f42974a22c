// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace detent::detail {

// The namespaces of this process, on which the meaning of a process id and of a monotonic time depends. Where /proc
// does not tell, all are 0, which is right on a kernel without such namespaces.
struct name_spaces {
  std::uint64_t processes = 0;         // the inode of /proc/self/ns/pid
  std::int64_t monotonic_offset = 0;   // CLOCK_MONOTONIC is ahead of the host's by that much, nanoseconds
  std::int64_t since_boot_offset = 0;  // as CLOCK_BOOTTIME is
};
name_spaces name_spaces_of_this_process() noexcept;

}  // namespace detent::detail
