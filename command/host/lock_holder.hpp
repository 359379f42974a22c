// SPDX-License-Identifier: MIT
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <optional>

#include "host/host_files.hpp"

namespace detent::tool {

// Returns the id of the process that holds a flock(LOCK_EX) on the file. Returns nothing if there is none, or if
// /proc/locks does not tell, which leaves out processes of other pid namespaces.
std::optional<std::int64_t> lock_holder(const struct stat& file, const host_files& host = host_files());

}  // namespace detent::tool
