// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

#include "host/host_files.hpp"

namespace detent::tool {

// The name spaces that give process ids and monotonic times their meaning. All are 0 where /proc does not tell.
struct name_spaces {
  std::uint64_t processes = 0;         // the inode of the namespace of process ids
  std::int64_t monotonic_offset = 0;   // CLOCK_MONOTONIC is ahead of the host's by that much, nanoseconds
  std::int64_t since_boot_offset = 0;  // as CLOCK_BOOTTIME is
};
// The name spaces of this process, read once.
const name_spaces& own_name_spaces();

// Reads the text of /proc/PID/timens_offsets.
void read_time_offsets(std::string_view text, name_spaces& into);

}  // namespace detent::tool
