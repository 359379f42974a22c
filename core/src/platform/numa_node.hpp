// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace detent::detail {

// The NUMA node that a CPU is of; none where there is no such CPU, or no /sys to say.
std::optional<int> numa_node_of(int cpu);
// Why there is none, and the cure, to follow upon "the node of CPU".
const char* explain_no_node() noexcept;

}  // namespace detent::detail
