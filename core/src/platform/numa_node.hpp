// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace detent::detail {

// Returns the NUMA node of a CPU, or nothing if there is no such CPU or no /sys.
std::optional<int> numa_node_of(int cpu);
// Says why there is none, and the cure. The text follows "the node of CPU".
const char* explain_no_node() noexcept;

}  // namespace detent::detail
