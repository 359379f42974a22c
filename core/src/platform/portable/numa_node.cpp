// SPDX-License-Identifier: MIT
#include "platform/numa_node.hpp"

namespace detent::detail {

std::optional<int> numa_node_of(int) { return std::nullopt; }

const char* explain_no_node() noexcept {
  return "is not known on the portable ground; docs/portability.md says which options it has";
}

}  // namespace detent::detail
