// SPDX-License-Identifier: MIT
#include "name_spaces.hpp"

#include <sys/stat.h>

#include <cinttypes>
#include <cstdio>
#include <string_view>

namespace detent::detail {

name_spaces name_spaces_of_this_process() noexcept {
  name_spaces own;
  struct stat there {};
  if (stat("/proc/self/ns/pid", &there) == 0) own.processes = there.st_ino;
  // Each of the two lines has the clock's name, seconds and nanoseconds.
  std::FILE* file = std::fopen("/proc/self/timens_offsets", "re");
  if (file == nullptr) return own;
  char clock[16];
  std::int64_t seconds = 0, nanoseconds = 0;
  while (std::fscanf(file, "%15s %" SCNd64 " %" SCNd64, clock, &seconds, &nanoseconds) == 3) {
    const std::int64_t offset = seconds * 1'000'000'000 + nanoseconds;
    if (std::string_view(clock) == "monotonic") own.monotonic_offset = offset;
    if (std::string_view(clock) == "boottime") own.since_boot_offset = offset;
  }
  std::fclose(file);
  return own;
}

}  // namespace detent::detail
