// SPDX-License-Identifier: MIT
#include "platform/numa_node.hpp"

namespace detent::detail {

std::optional<int> numa_node_of(int) { return std::nullopt; }

}  // namespace detent::detail
