// SPDX-License-Identifier: MIT
#pragma once
#include "host/host_files.hpp"

namespace detent::tool {

// Returns whether the control group of a process is frozen now, as that of a paused container, in either version of the
// hierarchy. Returns false if that cannot be read.
bool is_frozen(const host_files& host, long long process);

}  // namespace detent::tool
