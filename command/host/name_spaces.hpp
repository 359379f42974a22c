// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

#include "host/host_files.hpp"

namespace detent::tool {

// The namespaces that give process ids and monotonic times their meaning. Everything is 0 if /proc does not tell.
struct name_spaces {
  std::uint64_t processes = 0;         // the inode of the pid namespace
  std::int64_t monotonic_offset = 0;   // nanoseconds by which CLOCK_MONOTONIC is ahead of the host's
  std::int64_t since_boot_offset = 0;  // the same for CLOCK_BOOTTIME
};
// Returns the namespaces of this process, which are read once.
const name_spaces& own_name_spaces();

// Reads the text of /proc/PID/timens_offsets.
void read_time_offsets(std::string_view text, name_spaces& into);

}  // namespace detent::tool
