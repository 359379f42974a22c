// SPDX-License-Identifier: MIT
#include "host/lock_holder.hpp"

#include <sys/sysmacros.h>

#include <fmt/format.h>

#include <string>

namespace detent::tool {

std::optional<std::int64_t> lock_holder(const struct stat& file, const host_files& host) {
  const std::string wanted = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  const std::string locks = host.read("/proc/locks").value_or("");
  for (const std::string_view line : lines_of(locks)) {
    // A line has a number, then "->" if the process waits; the kind, its mode, whom it excludes, the process, the file.
    const auto words = words_of(line);
    if (words.size() < 6 || words[1] != "FLOCK" || words[3] != "WRITE" || words[5] != wanted) continue;
    const auto process = number_in(words[4]);
    if (process && *process > 0) return *process;
  }
  return std::nullopt;
}

}  // namespace detent::tool
