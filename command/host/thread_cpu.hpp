// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>

#include "host/host_files.hpp"

namespace detent::tool {

// Returns the CPU time that a thread has used so far, in nanoseconds, to the precision of the kernel's clock ticks.
// Returns nothing if there is no such thread.
std::optional<std::int64_t> thread_cpu(std::int64_t process, std::uint32_t thread,
                                       const host_files& host = host_files());

}  // namespace detent::tool
