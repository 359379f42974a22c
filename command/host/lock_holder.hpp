// SPDX-License-Identifier: MIT
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <optional>

#include "host/host_files.hpp"

namespace detent::tool {

// The process that holds a flock(LOCK_EX) on the file, by its id here; none where there is no such process, or where
// /proc/locks does not tell: it leaves out those of other namespaces of process ids.
std::optional<std::int64_t> lock_holder(const struct stat& file, const host_files& host = host_files());

}  // namespace detent::tool
