// SPDX-License-Identifier: MIT
#include "host/name_spaces.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace detent::tool {

void read_time_offsets(std::string_view text, name_spaces& into) {
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line);  // the clock's name, seconds, nanoseconds
    if (words.size() != 3) continue;
    const auto seconds = number_in(words[1]), nanoseconds = number_in(words[2]);
    if (!seconds || !nanoseconds) continue;
    const std::int64_t offset = *seconds * 1'000'000'000 + *nanoseconds;
    if (words[0] == "monotonic") into.monotonic_offset = offset;
    if (words[0] == "boottime") into.since_boot_offset = offset;
  }
}

const name_spaces& own_name_spaces() {
  static const name_spaces own = [] {
    name_spaces read;
    struct stat there = {};
    if (::stat("/proc/self/ns/pid", &there) == 0) read.processes = there.st_ino;
    read_time_offsets(host_files().read("/proc/self/timens_offsets").value_or(""), read);
    return read;
  }();
  return own;
}

}  // namespace detent::tool
